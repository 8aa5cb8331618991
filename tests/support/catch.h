// SPDX-License-Identifier: Apache-2.0
// Catch2 2.x and 3.x under one name.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
