# SPDX-License-Identifier: Apache-2.0
# The front door; CMake does the work (see CMakePresets.json for the build kinds).

BUILD ?= build
JOBS ?= $(shell nproc)
ARGS ?=
BUILD_SCRIPT = scripts/build --build $(BUILD) --jobs $(JOBS)
CTEST = ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --no-tests=error

.DEFAULT_GOAL := help
.PHONY: build demo test lint synth formal bench coverage docs nightly clean help configure setup-dev

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

configure:
	@$(BUILD_SCRIPT) --configure

build: ## The program, its models and its firmware
	@$(BUILD_SCRIPT) nearcube_all

demo: build ## A firmware convolution on a real image, checked bit for bit
	@$(BUILD)/bin/nearcube demo $(ARGS)

test: ## All tests but the long ones
	@$(BUILD_SCRIPT) all
	@$(CTEST) -LE nightly $(ARGS)

nightly: ## All tests with their long trip counts
	@$(BUILD_SCRIPT) all
	@NEARCUBE_NIGHTLY=1 $(CTEST) --timeout 14400

lint: setup-dev configure ## Verilator, Yosys, clang-format, shellcheck, layering, generated files
	@scripts/lint $(BUILD)

synth: setup-dev ## Area and longest path by block (Yosys, OSU 0.18 um, OpenSTA)
	@scripts/synth --output $(BUILD)/synth $(ARGS)

formal: setup-dev ## Proofs of tests/formal, each with faults that it must find
	@scripts/formal --output $(BUILD)/formal $(ARGS)

bench: build ## Speed of the models and cycles of the kernels
	@$(BUILD_SCRIPT) nearcube_bench
	@scripts/bench --build $(BUILD) $(ARGS)

coverage: setup-dev ## Verilator line and toggle coverage of rtl/
	@scripts/coverage $(ARGS)

docs: setup-dev ## The guides and the C++ reference as HTML in build/docs
	@scripts/docs --output $(BUILD)/docs

setup-dev:
	@scripts/setup.sh --dev

clean: ## Remove everything that was built
	rm -rf $(BUILD)
