// Each line of the referee begins with a code of three digits, as defined by version 0.9.2 of the protocol.
#include "gothello_client.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <cstdlib>
#include <sstream>

// --- Lines. A read from a socket may return half a line or three lines, so lines are assembled here. ---

// Reads the next line that is not blank. It ends with CR, LF or both.
bool GothelloClient::read_line()
{
    line_.clear();
    for (int c; (c = std::getc(in_)) != EOF;) {
        if (c != '\r' && c != '\n') line_ += static_cast<char>(c);
        else if (!line_.empty()) return true;
    }
    if (!line_.empty()) return true;
    line_ = "the referee has closed the connection";
    return false;
}

// If the referee is gone, the next read reports it.
void GothelloClient::send_line(const std::string &line)
{
    const std::string text = line + '\r';
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t n = write(out_, text.data() + sent, text.size() - sent);
        if (n < 0) return;
        sent += static_cast<std::size_t>(n);
    }
}

// --- Codes. ---

// Notes the end of the game, if `code` is one. Draws, resignations and fallen flags are ordinary endings.
void GothelloClient::note_ending(int code)
{
    switch (code) {
    case 201: end(Result::win); break;
    case 202: case 204: end(Result::loss); break;  // 204: we resigned
    case 203: case 325: case 326: end(Result::draw); break;
    case 321: case 324: case 327: case 361: case 392: end_won_by(Side::black); break;
    case 322: case 323: case 328: case 362: case 391: end_won_by(Side::white); break;
    case 399: end(Result::unknown); break;
    }
}

// A part of the time control that the arena set in the environment, if it started this bot.
static double given(const char *variable)
{
    const char *value = std::getenv(variable);
    return value ? std::atof(value) : 0;
}

// Notes our time control in "60+1 is the time control", or in "black 600:5x30 white 1/move+60bank is the time control".
void GothelloClient::note_control(const std::string &text)
{
    std::istringstream words(text);
    std::string own, name, other;
    words >> own;
    if (own == "black") words >> own >> name >> other;  // the name is "white"
    if (!name.empty() && side_ == Side::white) own = other;
    control_ = TimeControl{};
    char *rest;
    const double first = std::strtod(own.c_str(), &rest);
    if (*rest == '/') {
        control_.move_time = first;  // the rest of the bank is in `my_time`
    } else if (*rest == '+') {
        control_.increment = std::atof(rest + 1);
    } else if (*rest == ':') {
        control_.periods = std::strtod(rest + 1, &rest);
        if (*rest == 'x') control_.period = std::atof(rest + 1);
    }
}

// Reads a line and notes whether it ends the game, and the time on our clock. Returns its code, or nothing at the end.
std::optional<int> GothelloClient::read_code()
{
    if (over_) return std::nullopt;
    if (!read_line()) {
        end(Result::unknown);
        return std::nullopt;
    }
    int code = 0;
    for (std::size_t i = 0; i < 3; i++) {
        if (i >= line_.size() || !std::isdigit(static_cast<unsigned char>(line_[i]))) return 0;
        code = code * 10 + (line_[i] - '0');
    }
    std::istringstream words(line_.substr(3));
    int own = 0, other = 0;
    if (code == 101 && words >> own >> other) my_time_ = own, opponent_time_ = other;  // our own time comes first
    if (code == 207 && words >> own) my_time_ = own;
    if (code == 347) note_control(line_.substr(3));
    if (code == 349 && words >> own) told_ = own;
    std::string game;
    int seats = 0, seat = 0;
    if (code == 345 && words >> game >> seats >> seat) side_ = seat == 1 ? Side::black : Side::white;
    note_ending(code);
    return over_ ? std::nullopt : std::optional(code);
}

// 311 to 318: "311 1 c3", "312 1 ... d4", and with clocks "313 1 c3 59". Black's codes are odd.
Event GothelloClient::moved(int code, bool is_own)
{
    std::istringstream words(line_.substr(3));
    std::string dots, move;
    int number = 0, seconds = 0;
    words >> number;
    if (code % 2 == 0) words >> dots;
    words >> move;
    if (words >> seconds) (is_own ? my_time_ : opponent_time_) = seconds;
    number_ = side_ == Side::white && !is_own ? number : number + 1;
    if (told_ > 0) told_--;
    if (move == "pass") return Pass{};
    return Move{move};
}

Event GothelloClient::next()
{
    while (const auto code = read_code()) {
        const bool is_own = side_ == (*code % 2 ? Side::black : Side::white);
        if (*code >= 311 && *code <= 318 && (!is_own || told_ > 0)) return moved(*code, is_own);
    }  // other lines, such as the echo of our own move, need no answer
    return *over_;
}

Reply GothelloClient::play(const std::string &move)
{
    if (over_) return *over_;
    send_line(std::to_string(number_) + (side_ == Side::white ? " ... " : " ") + move);
    while (const auto code = read_code()) {
        if (*code == 200 || *code == 207) return Accepted{};
        if (*code == 291 || *code == 299) return Refused{line_};
    }
    return *over_;
}

Reply GothelloClient::pass() { return play("pass"); }
Reply GothelloClient::resign() { return play("resign"); }

// --- The seat. ---

// The name in double quotes, in which a quote is doubled.
static std::string quoted(const std::string &name)
{
    std::string text = " \"";
    int characters = 0;
    for (const char c : name) {
        if ((c & 0xC0) != 0x80 && ++characters > 31) break;  // names have up to 31 characters, here in UTF-8
        text += c == '"' ? "\"\"" : std::string(1, c);
    }
    return text + '"';
}

// Asks for a seat, and waits until the game begins. Returns the code of a refusal, or 0.
int GothelloClient::take_seat(const std::string &version, const std::string &side, const std::string &name)
{
    std::signal(SIGPIPE, SIG_IGN);  // writing to a referee that is gone must not end the program
    control_ = {given("GOTHELLO_MOVE_TIME"), given("GOTHELLO_INCREMENT"), given("GOTHELLO_PERIODS"),
                given("GOTHELLO_PERIOD")};
    side_ = side == "white" ? Side::white : Side::black;
    if (!in_ || !read_line()) throw NoSeat(line_);  // the greeting, 000
    send_line(version + " player " + side + (name.empty() ? "" : quoted(name)));
    while (const auto code = read_code()) {
        if (*code / 10 == 19) return *code;
        if (*code == 351 || *code == 352) {
            side_ = *code == 351 ? Side::white : Side::black;
            return 0;
        }
    }
    return 0;
}

void GothelloClient::connect_to(const std::string &host, int port)
{
    if (in_) std::fclose(in_);
    in_ = nullptr;
    addrinfo hints{}, *address = nullptr;
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    const auto service = std::to_string(port < 30 ? 29068 + port : port);
    if (getaddrinfo(host.c_str(), service.c_str(), &hints, &address) != 0) throw NoSeat("unknown host: " + host);
    const int fd = socket(address->ai_family, address->ai_socktype, address->ai_protocol), yes = 1;
    const bool connected = fd >= 0 && connect(fd, address->ai_addr, address->ai_addrlen) == 0;
    freeaddrinfo(address);
    if (!connected) throw NoSeat("no referee at " + host + ", port " + service);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);  // our clock runs until the line arrives
    out_ = fd;
    in_ = fdopen(fd, "r");
}

GothelloClient::GothelloClient(const std::string &side, const std::string &host, int port, const std::string &name)
{
    connect_to(host, port);
    int refusal = take_seat("0.9.2", side, name);
    if (refusal == 198) {  // the referee is older, and has closed the connection
        connect_to(host, port);
        refusal = take_seat("0.9.1", side, name);
    }
    if (refusal) throw NoSeat(line_);
}

GothelloClient::GothelloClient(const std::string &side, const std::string &name) : in_(stdin), out_(STDOUT_FILENO)
{
    if (take_seat("0.9.2", side, name)) throw NoSeat(line_);
}

GothelloClient::~GothelloClient() { std::fclose(in_); }
