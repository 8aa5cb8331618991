// SPDX-License-Identifier: Apache-2.0
// Files that are whole or not there, whatever ends the program or the machine: written beside their final
// name (FILE.part.PID), synced, renamed, and the folder synced. A killed program may leave a FILE.part.PID.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearcube::base {

/// Writes `content` to `path` so that a reader sees the old file or the whole new one. A full disk or a
/// missing folder throws Error (kOther: the machine is at fault; kBadInput: no such folder, or `path` is a
/// folder) and leaves no temporary file. A symbolic link leads to its file. Devices, pipes and open files
/// such as /dev/stdout are written in place; a pipe that nobody reads is an error.
void write_file_atomically(const std::string& path, std::string_view content);
void write_file_atomically(const std::string& path, std::span<const std::uint8_t> content);

/// Throws the Error that a write of `path` would throw now, if any: before hours of computing what to write.
void check_writable(const std::string& path);

/// The whole file, or what comes out of a pipe. Throws Error (kBadInput) that names `path` and `what` it was
/// to be ("configuration", "ELF file"); of devices, which may have no end, too.
std::vector<std::uint8_t> read_file(const std::string& path, std::string_view what);

/// The name that a file is written under before it is whole: beside the file that `path` leads to, so that a
/// rename suffices.
std::string temporary_name(const std::string& path);

/// Syncs `temporary` to disk and renames it to `path`. On failure removes it and throws Error (kOther).
void commit_file(const std::string& temporary, const std::string& path);

}  // namespace nearcube::base
