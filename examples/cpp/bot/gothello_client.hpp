// The referee's protocol, so that a bot does not have to deal with it.
//
//     GothelloClient client("black", "localhost", 29068, "my bot");
//     Reply reply = client.play("c3");   // makes our move, and returns the referee's answer
//     Event event = client.next();       // waits for the opponent's move, or for the end of the game
#pragma once

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

enum class Side : char { black = 'b', white = 'w' };

// How a game ended for us. The result is `unknown` if the game was broken off.
enum class Result { win, loss, draw, unknown };

struct Move { std::string point; };                   // such as "c3"
struct Pass {};
struct GameOver { Result result; std::string text; };  // `text` is the referee's line
using Event = std::variant<Move, Pass, GameOver>;     // what the opponent did, or a move of an opening

struct Accepted {};
struct Refused { std::string text; };                 // it is still our turn, and our clock keeps running
using Reply = std::variant<Accepted, Refused, GameOver>;

// What our clock gives for each move, in seconds. Values that do not apply to the time control are 0.
struct TimeControl {
    double move_time = 0;            // for each move
    double increment = 0;            // added to our time after each move
    double periods = 0, period = 0;  // of byo-yomi: the number of periods, and the length of each
};

// There is no game for us: no referee, or no seat.
struct NoSeat : std::runtime_error { using runtime_error::runtime_error; };

class GothelloClient {
public:
    // Takes a seat, and waits until the game begins. `side` is "black", "white", or "?" for either; a `port` from 0 to
    // 29 is a server number; `name` may be empty.
    GothelloClient(const std::string &side, const std::string &host, int port, const std::string &name);
    // The same with the referee at stdin and stdout.
    GothelloClient(const std::string &side, const std::string &name);
    ~GothelloClient();
    GothelloClient(const GothelloClient &) = delete;
    GothelloClient &operator=(const GothelloClient &) = delete;

    // Black moves first, so black starts with play() and white with next(). However the game ends, you receive a
    // GameOver, and later calls return it again.
    Event next();
    Reply play(const std::string &point);
    Reply pass();
    Reply resign();

    // How many given moves, ours included, next() has yet to return, as in an opening.
    int told() const { return told_; }
    Side side() const { return side_; }
    // Whole seconds left, as last reported; nothing in a game without clocks.
    std::optional<int> my_time() const { return my_time_; }
    std::optional<int> opponent_time() const { return opponent_time_; }
    const TimeControl &time_control() const { return control_; }

private:
    int take_seat(const std::string &version, const std::string &side, const std::string &name);
    void connect_to(const std::string &host, int port);
    bool read_line();
    void send_line(const std::string &line);
    std::optional<int> read_code();
    void note_control(const std::string &text);
    void note_ending(int code);
    void end(Result result) { over_ = GameOver{result, line_}; }
    void end_won_by(Side winner) { end(winner == side_ ? Result::win : Result::loss); }
    Event moved(int code, bool is_own);

    std::FILE *in_ = nullptr;
    int out_ = -1;  // a descriptor without a buffer: bytes are sent at once
    Side side_ = Side::black;
    int number_ = 1;  // the number of our next move; both sides begin with 1
    int told_ = 0;
    std::optional<int> my_time_, opponent_time_;
    TimeControl control_;
    std::optional<GameOver> over_;
    std::string line_;  // the referee's last line
};
