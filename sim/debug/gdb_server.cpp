// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/gdb_server.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <deque>
#include <optional>

#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/debug/gdb_packet.h"
#include "sim/debug/gdb_session.h"

namespace nearcube::debug {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Code = boost::system::error_code;

// Core cycles between looks at the socket while the program runs: a look takes about a microsecond.
constexpr unsigned kCyclesPerLook = 256;
// Between looks at Ctrl-C while it stands.
constexpr std::chrono::milliseconds kLook{50};
// A debugger that takes this long to read its last packets does without.
constexpr std::chrono::seconds kFarewell{2};
// Stands for the byte that asks for a stop, in its place among the packets.
const std::string kInterrupt = "\x03";
// More than any debugger leaves unread, in bytes.
constexpr std::size_t kMaxUnread = 1u << 20;

}  // namespace

class GdbServer::Connection {
 public:
  Connection(std::uint16_t port, std::function<void(const std::string&)> say) : say_(std::move(say)) {
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
    Code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(4, error);
    if (error) {
      bad_input(
          "--gdb {}: cannot listen on this port of 127.0.0.1: {}. Choose another, or 0 for any free one",
          port, error.message());
    }
    accept();
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  bool attached() const { return socket_.has_value(); }
  GdbSession& session() { return session_; }
  void request_stop() { wants_stop_ = true; }

  bool wants_stop() {
    if (++cycles_ % kCyclesPerLook == 0) {
      poll();
      if (std::erase(packets_, kInterrupt) != 0) {
        session_.interrupted();
        wants_stop_ = true;
      }
    }
    return wants_stop_;
  }

  Resume stopped(Target& target) {
    if (owes_stop_reply_) send(session_.stop_reply());
    owes_stop_reply_ = false;
    while (!base::interrupted()) {
      io_.restart();
      io_.run_one_for(kLook);
      while (!packets_.empty()) {
        const std::string packet = std::move(packets_.front());
        packets_.pop_front();
        if (packet == kInterrupt) continue;  // it stands already
        const GdbSession::Answer answer = session_.handle(packet, target);
        switch (answer.action) {
          case GdbSession::Action::kReply:
            send(answer.text);
            break;
          case GdbSession::Action::kResume:
            wants_stop_ = false;
            owes_stop_reply_ = true;
            return Resume::kRun;
          case GdbSession::Action::kDetach:
            send(answer.text);
            say_(fmt::format("the debugger detached; the program runs on, and port {} stays open", port()));
            close();
            return Resume::kRun;
          case GdbSession::Action::kKill:
            if (!answer.text.empty()) send(answer.text);
            close();
            return Resume::kKill;
        }
      }
    }
    return Resume::kRun;
  }

  void ended(std::uint8_t status) {
    if (!attached()) return;
    if (owes_stop_reply_) send(fmt::format("W{:02x}", status));
    close();
  }

 private:
  void poll() {
    io_.restart();
    io_.poll();
  }

  // One debugger at a time: a second waits in the kernel's queue until the first has gone.
  void accept() {
    acceptor_.async_accept([this](const Code& error, tcp::socket socket) {
      if (error) {
        accept();
      } else {
        adopt(std::move(socket));
      }
    });
  }

  void adopt(tcp::socket socket) {
    ++generation_;
    socket_ = std::move(socket);
    Code ignored;
    socket_->set_option(tcp::no_delay(true), ignored);
    session_.restart();
    session_.interrupted();
    reader_ = PacketReader();
    packets_.clear();
    unsent_.clear();
    owes_stop_reply_ = false;
    wants_stop_ = true;
    say_("a debugger connected");
    read();
  }

  void read() {
    socket_->async_read_some(asio::buffer(bytes_),
                             [this, generation = generation_](const Code& error, std::size_t count) {
                               if (generation != generation_ || !attached()) return;
                               if (error) {
                                 lose();
                                 return;
                               }
                               reader_.feed({bytes_.data(), count});
                               take_events();
                               if (attached()) read();
                             });
  }

  void take_events() {
    while (const auto event = reader_.next()) {
      using Kind = PacketReader::Event::Kind;
      switch (event->kind) {
        case Kind::kPacket:
          if (session_.acknowledges()) write("+");
          packets_.push_back(event->text);
          break;
        case Kind::kBad:
          if (session_.acknowledges()) write("-");
          break;
        case Kind::kResend:
          if (session_.acknowledges()) write(last_);
          break;
        case Kind::kInterrupt:
          packets_.push_back(kInterrupt);
          break;
      }
    }
    if (packets_.size() > kMaxUnread / kMaxPacketBytes || unsent_.size() > kMaxUnread) lose();
  }

  void send(std::string_view payload) {
    last_ = frame(payload);
    write(last_);
  }

  void write(std::string_view bytes) {
    if (!attached()) return;
    unsent_ += bytes;
    if (writing_.empty()) write_more();
  }

  void write_more() {
    writing_.swap(unsent_);
    unsent_.clear();
    if (writing_.empty()) return;
    asio::async_write(*socket_, asio::buffer(writing_),
                      [this, generation = generation_](const Code& error, std::size_t) {
                        if (generation != generation_) return;
                        writing_.clear();
                        if (!attached()) return;
                        if (error) {
                          lose();
                        } else {
                          write_more();
                        }
                      });
  }

  /// The connection broke: the program stands until the next comes.
  void lose() {
    drop();
    wants_stop_ = true;
    say_(fmt::format("the debugger's connection broke; the program stands until the next comes to port {}",
                     port()));
  }

  /// Ends the connection, after what was sent has gone.
  void close() {
    const auto until = std::chrono::steady_clock::now() + kFarewell;
    io_.restart();
    while (attached() && !writing_.empty() && !base::interrupted() &&
           std::chrono::steady_clock::now() < until) {
      io_.run_one_for(kLook);
    }
    drop();
    wants_stop_ = false;
  }

  void drop() {
    ++generation_;
    if (socket_) {
      Code ignored;
      socket_->shutdown(tcp::socket::shutdown_both, ignored);
      socket_->close(ignored);
    }
    socket_.reset();
    packets_.clear();
    writing_.clear();
    unsent_.clear();
    owes_stop_reply_ = false;
    session_.restart();
    accept();
  }

  std::function<void(const std::string&)> say_;
  asio::io_context io_;
  tcp::acceptor acceptor_{io_};
  std::optional<tcp::socket> socket_;
  // Handlers of an earlier connection may still come in.
  std::uint64_t generation_ = 0;
  std::array<char, 4096> bytes_{};
  PacketReader reader_;
  std::deque<std::string> packets_;
  std::string writing_, unsent_, last_;
  GdbSession session_;
  // Until the first debugger has come, the core stands before its first instruction.
  bool wants_stop_ = true;
  bool owes_stop_reply_ = false;
  unsigned cycles_ = 0;
};

GdbServer::GdbServer(std::uint16_t port, std::function<void(const std::string&)> say)
    : connection_(std::make_unique<Connection>(port, std::move(say))) {}
GdbServer::~GdbServer() = default;

std::uint16_t GdbServer::port() const { return connection_->port(); }

bool GdbServer::starts(std::uint32_t pc) {
  return !connection_->attached() || connection_->session().starts(pc);
}

bool GdbServer::accesses(std::uint32_t address, std::uint32_t bytes, bool store) {
  return !connection_->attached() || connection_->session().accesses(address, bytes, store);
}

void GdbServer::traps(const riscv::Trap& trap, std::uint64_t /*cycle*/) {
  if (connection_->attached() && connection_->session().traps(trap)) connection_->request_stop();
}

bool GdbServer::wants_stop() { return connection_->wants_stop(); }
Debugger::Resume GdbServer::stopped(Target& target) { return connection_->stopped(target); }
void GdbServer::ended(std::uint8_t status) { connection_->ended(status); }

}  // namespace nearcube::debug
