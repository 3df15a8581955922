# The project's tasks. They use the environment of $(PYTHON): the active one, or PYTHON=.venv/bin/python.

PYTHON ?= python3
SITE ?= site
BIN := $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("scripts"))')
PYTEST := $(PYTHON) -m pytest -n auto
INTERPRETED := $(addprefix tests/core/,agents cli engine lessons puzzles search test_daily.py) \
	$(addprefix tests/lab/,equilibrium experiments matches stats)
SLOW := tests/benchmarks/test_programs.py \
	tests/core/cli/test_encodings.py tests/core/cli/test_full_disk.py \
	$(addprefix tests/core/cli/test_process.py::,test_an_order_to_end_keeps_the_games_of_all_that_plays_for_long \
	test_whatever_ends_a_match_keeps_what_was_played) \
	tests/core/engine/test_engine_session.py tests/core/search/test_backend.py tests/core/search/test_declared.py \
	tests/lab/experiments/test_dataset.py tests/lab/matches/test_machine_games.py tests/lab/stats/test_stopping.py \
	tests/lab/workers/test_parallel.py \
	tests/tui/app/test_light.py tests/tui/friends/test_friends_screens.py tests/tui/friends/test_real_server.py \
	tests/tui/web/test_return.py

.PHONY: help check test test-more lint docs bench pictures

help: ## list the tasks
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1	/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

check: test test-more lint docs ## run what a change must pass

test: ## run the tests, except the slow ones (ARGS: more arguments of pytest)
	$(PYTEST) $(ARGS)

test-more: ## run tests of compiled code interpreted, and slow tests of programs
	DURAK_COMPILED=0 $(PYTEST) $(ARGS) $(INTERPRETED)
	$(PYTEST) $(ARGS) -m slow $(SLOW)

lint: ## check code, types, imports, documents and workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PYTHON) tools/prose.py
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/sp-repo-review --show err .

docs: ## build the site of the documents in $(SITE)
	$(BIN)/sphinx-build --quiet --fail-on-warning docs $(SITE)

bench: ## measure the speed of rules, matches and searches
	$(PYTHON) benchmarks/speed_plain.py
	$(PYTHON) benchmarks/speed_compiled.py
	$(PYTHON) benchmarks/speed_match.py
	$(PYTHON) benchmarks/speed_search.py

pictures: ## take the gallery's pictures and the README's film
	$(PYTHON) tools/pictures.py
	$(PYTHON) tools/film.py
