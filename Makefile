# Everything one does with a checkout. `make` alone prints this list.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup run unit test lint types check bench plateau records datadirtest kartothek sample image lock clean

PYTHON ?= python3
IMAGE ?= tablemill
BASE_IMAGE ?= python:3.11-slim-bookworm
LEFT_OUT = spark or slow or plateau or kartothek or records or datadirtest or engine
export PYTHON IMAGE BASE_IMAGE

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Make .venv: locked packages, a Java where there is none, the archive of Spark's classes
	@scripts/setup.sh run

run: setup sample ## Run the main job on a fresh copy of data-sample, in build/data
	@.venv/bin/tablemill run --data build/data

unit: ## Set up and run the fast lane: quick tests without Spark and other programs (ARGS as below)
	@scripts/setup.sh test
	@HYPOTHESIS_PROFILE=fast .venv/bin/python -m pytest -n 2 --dist loadfile -m "not ($(LEFT_OUT))" $(ARGS)

test: plateau records datadirtest kartothek ## Set everything up and run all tests (ARGS="-k name" runs some)
	@scripts/setup.sh test
	@.venv/bin/python -m pytest -n 2 --dist loadfile $(ARGS)

lint: ## Check style and format
	@scripts/setup.sh test
	@.venv/bin/python -m ruff check .
	@.venv/bin/python -m ruff format --check .

types: ## Check types
	@scripts/setup.sh test
	@.venv/bin/python -m mypy

check: lint types ## Both of these

bench: ## Compare with Spark's own reader, plateau, records-mover, DuckDB, Polars and delta-rs (ARGS="--help" says how)
	@scripts/setup.sh bench plateau records
	@.venv/bin/python benchmarks/run.py $(ARGS)

plateau: ## Make .venv-plateau and .venv-plateau-pandas3, where the other implementation of datasets lives for the tests
	@scripts/setup.sh plateau plateau-pandas3

kartothek: ## Make .venv-kartothek, where the first implementation of the dataset format lives, if there is a Python 3.8
	@scripts/setup.sh kartothek

records: ## Make .venv-records, where the other implementation of records directories lives for the tests
	@scripts/setup.sh records

datadirtest: ## Make .venv-datadirtest, where the test runner of the platform's components lives for the tests
	@scripts/setup.sh datadirtest

sample: ## Copy data-sample to build/data, which may be written to
	@scripts/sample.sh

image: ## Build the container image (IMAGE names it, BASE_IMAGE is what it stands on)
	@scripts/image.sh

lock: ## Write requirements/*.lock anew, with uv (ARGS=--upgrade takes newer versions)
	@scripts/lock.sh $(ARGS)

clean: ## Remove what these commands made
	rm -rf .venv .venv-plateau .venv-plateau-pandas3 .venv-records .venv-datadirtest .venv-kartothek build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
