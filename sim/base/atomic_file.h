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

/// The same for a file that is written piece by piece, in large blocks.
class AtomicFile {
 public:
  /// Opens it under a temporary name. Throws as write_file_atomically.
  explicit AtomicFile(const std::string& path);
  /// Without commit() nothing is left of it.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws Error (kOther) on a full disk.
  void write(std::string_view text);
  /// Syncs it and gives it its name. Throws Error and leaves nothing if that fails.
  void commit();

 private:
  void flush();

  std::string path_;
  std::string name_;  ///< written under; that of a device or pipe itself
  bool in_place_ = false;
  int fd_ = -1;
  std::string buffer_;
};

/// Throws the Error that a write of `path` would throw now, if any: before hours of computing what to write.
/// Removes what killed processes have left of earlier attempts.
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
