// SPDX-License-Identifier: Apache-2.0
#include "sim/base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "sim/base/error.h"
#include "sim/base/interrupt.h"

namespace nearcube::base {
namespace {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release_and_close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd);
  }

 private:
  int fd_;
};

[[noreturn]] void throw_write_error(const std::string& path, int code) {
  const bool users_fault = code == ENOENT || code == ENOTDIR || code == EISDIR || code == EACCES ||
                           code == EPERM || code == EROFS || code == ENAMETOOLONG || code == ELOOP ||
                           code == ENXIO;
  const char* hint = code == ENOSPC || code == EDQUOT ? " (the disk is full; nothing was left behind)"
                     : code == ENXIO                  ? " (nobody reads from this pipe)"
                                                      : "";
  throw error(users_fault ? ExitStatus::kBadInput : ExitStatus::kOther, "{}: cannot write: {}{}", path,
              std::strerror(code), hint);
}

/// Writes all of `content`; 0 or the error.
int write_all(int fd, std::span<const std::uint8_t> content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

/// fsync, which some devices and pipes do not support; 0 or the error.
int sync(int fd) { return ::fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno; }

/// The name of a renamed file survives a crash only once its folder is synced. A folder that cannot be opened
/// or synced is no error: the file is whole, under one name or the other.
void sync_folder_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const Descriptor folder(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) ::fsync(folder.get());
}

/// Waiting for the other end of a pipe may be for ever, so it is opened without; what follows waits again.
int open_now(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0) ::fcntl(fd, F_SETFL, flags & O_APPEND);
  return fd;
}

/// Where output for a path goes.
struct Target {
  std::string path;       ///< where symbolic links lead
  bool in_place = false;  ///< a device, a pipe or an open file: it cannot be replaced
};

Target target_of(const std::string& path) {
  if (path.empty()) throw_write_error(path, ENOENT);
  struct stat info = {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) throw_write_error(path, EISDIR);
  for (const char* open_files : {"/dev/std", "/dev/fd/", "/proc/"}) {
    if (path.starts_with(open_files)) return {path, true};
  }
  if (exists && !S_ISREG(info.st_mode)) return {path, true};
  std::filesystem::path at = path;
  for (int links = 0; links < 40; ++links) {
    std::error_code none;
    const std::filesystem::path to = std::filesystem::read_symlink(at, none);
    if (none) return {at.string(), false};
    at = at.parent_path() / to;
  }
  throw_write_error(path, ELOOP);
}

// Bytes that an AtomicFile collects before it writes.
constexpr std::size_t kBlock = 256 << 10;

// A killed process cannot remove what it wrote under its temporary name. Young files stay: the process may
// live where its number means nothing here, in another container or on another machine.
constexpr auto kLeftoverAge = std::chrono::minutes(1);

void remove_leftovers(const std::string& target) {
  const std::filesystem::path path = target;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::string start = path.filename().string() + ".part.";
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start)) continue;
    int process = 0;
    const char* end = name.data() + name.size();
    const auto number = std::from_chars(name.data() + start.size(), end, process);
    if (number.ec != std::errc() || process <= 0) continue;
    const std::string_view rest(number.ptr, end);
    if (!rest.empty() && rest != ".hier") continue;  // the FST library's own file beside it
    const bool dead = ::kill(process, 0) != 0 && errno == ESRCH;
    const auto written = entry.last_write_time(none);
    if (dead && !none && std::filesystem::file_time_type::clock::now() - written > kLeftoverAge) {
      std::filesystem::remove(entry.path(), none);
    }
  }
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  const Target target = target_of(path);
  in_place_ = target.in_place;
  name_ = in_place_ ? target.path : temporary_name(path);
  fd_ = in_place_ ? open_now(name_, O_WRONLY | O_APPEND)
                  : ::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) throw_write_error(path, errno);
  buffer_.reserve(kBlock);
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!in_place_) ::unlink(name_.c_str());
}

void AtomicFile::write(std::string_view text) {
  if (buffer_.size() + text.size() > kBlock) flush();
  buffer_ += text;
}

void AtomicFile::flush() {
  const int code =
      write_all(fd_, std::span(reinterpret_cast<const std::uint8_t*>(buffer_.data()), buffer_.size()));
  buffer_.clear();
  if (code != 0) throw_write_error(path_, code);
}

void AtomicFile::commit() {
  flush();
  const int code = sync(fd_);
  if (code != 0) throw_write_error(path_, code);
  if (::close(std::exchange(fd_, -1)) != 0) {
    const int reason = errno;
    if (!in_place_) ::unlink(name_.c_str());
    throw_write_error(path_, reason);
  }
  if (!in_place_) commit_file(name_, path_);
}

void check_writable(const std::string& path) {
  const Target target = target_of(path);
  remove_leftovers(target.path);
  if (target.in_place) {
    if (::access(target.path.c_str(), W_OK) != 0) throw_write_error(path, errno);
    return;
  }
  const NoteInterrupts whole;
  const std::string name = temporary_name(path);
  const Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file.get() < 0) throw_write_error(path, errno);
  ::unlink(name.c_str());
}

std::string temporary_name(const std::string& path) {
  return fmt::format("{}.part.{}", target_of(path).path, ::getpid());
}

void commit_file(const std::string& temporary, const std::string& path) {
  const Target target = target_of(path);
  int code = 0;
  {
    Descriptor file(::open(temporary.c_str(), O_RDONLY | O_CLOEXEC));
    code = file.get() < 0 ? errno : sync(file.get());
  }
  if (code == 0 && std::rename(temporary.c_str(), target.path.c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(temporary.c_str());
    throw_write_error(path, code);
  }
  sync_folder_of(target.path);
}

void write_file_atomically(const std::string& path, std::span<const std::uint8_t> content) {
  const Target target = target_of(path);
  const NoteInterrupts whole;
  const std::string name = target.in_place ? target.path : temporary_name(path);
  // In place means after what is there already: the report on the standard output, say.
  Descriptor file(target.in_place ? open_now(name, O_WRONLY | O_APPEND)
                                  : ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) throw_write_error(path, errno);
  int code = write_all(file.get(), content);
  if (code == 0) code = sync(file.get());
  if (file.release_and_close() != 0 && code == 0) code = errno;
  if (code == 0 && !target.in_place && std::rename(name.c_str(), target.path.c_str()) != 0) code = errno;
  if (code != 0) {
    if (!target.in_place) ::unlink(name.c_str());
    throw_write_error(path, code);
  }
  if (!target.in_place) sync_folder_of(target.path);
}

void write_file_atomically(const std::string& path, std::string_view content) {
  write_file_atomically(path,
                        std::span(reinterpret_cast<const std::uint8_t*>(content.data()), content.size()));
}

std::vector<std::uint8_t> read_file(const std::string& path, std::string_view what) {
  Descriptor file(open_now(path, O_RDONLY));
  if (file.get() < 0) bad_input("{}: cannot read the {}: {}", path, what, std::strerror(errno));
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) {
    bad_input("{}: cannot read the {}: {}", path, what, std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) bad_input("{}: is a folder, not a {}", path, what);
  // Some have no end.
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) bad_input("{}: is a device, not a {}", path, what);
  std::vector<std::uint8_t> content(info.st_size > 0 ? static_cast<std::size_t>(info.st_size) : 0);
  std::size_t size = 0;
  for (;;) {
    if (size == content.size()) content.resize(size + 65536);
    const ssize_t got = ::read(file.get(), content.data() + size, content.size() - size);
    if (got < 0) {
      if (errno == EINTR) continue;
      bad_input("{}: cannot read the {}: {}", path, what, std::strerror(errno));
    }
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size == 0 && S_ISFIFO(info.st_mode)) bad_input("{}: no {} comes out of this pipe", path, what);
  content.resize(size);
  return content;
}

}  // namespace nearcube::base
