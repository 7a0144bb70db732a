// A Gothello bot. `evaluate` is the place for your own ideas; the rest can stay as it is.
//
//     ./bot SIDE HOST PORT      for example: ./bot black localhost 29068
//     ./bot SIDE --stdio        the referee is at stdin and stdout
//
// Print debug output to std::cerr: the arena keeps it with the log of the game.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>

#include "gothello_client.hpp"
#include "rules.hpp"

using Clock = std::chrono::steady_clock;
using Points = std::vector<int>;
using Seconds = std::chrono::duration<double>;

constexpr int DEPTH = 2;      // how many moves to look ahead, unless the clock gives time for each move
constexpr int FURTHEST = 50;  // more moves than any game has
constexpr int WON = 1000, INFINITE = 100000;

// How good the board is for `side`, which is to move: the bot looks for moves that lead to high values.
//
// YOUR IDEA GOES HERE. So far a stone is worth 2, and an empty point next to a stone (a liberty) 1. Which stones can
// never be captured again? Which points can only one side play on? README.md has a first idea to try.
static int evaluate(const Board &board, Side side)
{
    return 2 * board.lead(side) + board.liberties(side) - board.liberties(opponent_of(side));
}

// --- The search. ---

struct OutOfTime {};

static Clock::time_point deadline;  // of our turn
static int furthest;                // how many moves to look ahead in our turn; fewer at the deadline

// The value of the board for `side`, which is to move, looking `depth` moves ahead (negamax with alpha-beta). In the
// search, a side passes only to win, or if no other move is legal.
static int search(const Board &board, Side side, int depth, bool passed, int alpha, int beta)
{
    const Side other = opponent_of(side);
    const int lead = board.lead(side);
    if (passed && lead > 0) return WON + lead;  // a second pass ends the game and wins it
    if (depth == 0) return evaluate(board, side);
    if (Clock::now() > deadline) throw OutOfTime{};
    const auto points = board.legal_points(side);
    if (points.empty() && passed) return lead == 0 ? 0 : lead - WON;
    if (points.empty()) return -search(board, other, depth - 1, true, -beta, -alpha);
    for (const int point : points) {
        alpha = std::max(alpha, -search(board.after_move(side, point), other, depth - 1, false, -beta, -alpha));
        if (alpha >= beta) break;
    }
    return alpha;
}

// The best of `points`, looking `depth` moves ahead, or the first of equally good points; and its value.
static std::pair<Points::iterator, int> best_of(const Board &board, Side side, Points &points, int depth)
{
    int alpha = -INFINITE;
    auto best = points.begin();
    for (auto point = points.begin(); point != points.end(); ++point) {
        const Board after = board.after_move(side, *point);
        const int score = -search(after, opponent_of(side), depth - 1, false, -INFINITE, -alpha);
        if (score > alpha) alpha = score, best = point;
    }
    return {best, alpha};
}

// Reports what the bot thinks of its position. The arena stores this claim next to the exact value.
static void think(int value, int depth, int point)
{
    double points = value / 2.0;                 // `evaluate` counts 2 for a stone
    if (value > WON / 2) points = value - WON;   // the search has seen the end of the game
    if (value < -WON / 2) points = value + WON;
    std::cerr << "#think value=" << points << " depth=" << depth << " pv=" << name_of(point) << '\n';
}

// The point to play on, or nothing for a pass. The referee has refused the points in `refused` this turn.
static std::optional<int> choose(const Board &board, Side side, bool passed, const Points &refused)
{
    static std::mt19937 random = [] {
        const char *seed = std::getenv("GOTHELLO_SEED");  // the arena sets it, so that games can be repeated
        return std::mt19937(seed ? std::strtoul(seed, nullptr, 10) : std::random_device{}());
    }();
    if (passed && board.lead(side) > 0) return std::nullopt;  // a second pass ends the game and wins it
    auto points = board.legal_points(side);
    for (const int point : refused) points.erase(std::remove(points.begin(), points.end(), point), points.end());
    if (points.empty()) return std::nullopt;
    std::shuffle(points.begin(), points.end(), random);  // so that equally good points are equally likely
    int found = 0, searched = 0;
    try {
        for (int depth = 1; depth <= furthest; depth++) {
            const auto [best, value] = best_of(board, side, points, depth);
            std::rotate(points.begin(), best, best + 1);  // with a good move first, the deeper search skips more
            found = value, searched = depth;
        }
    } catch (const OutOfTime &) {  // the last depth that was searched completely counts
    }
    if (searched > 0) think(found, searched, points[0]);
    return points[0];
}

// --- The game. ---

// Decides how long to think about our move, and how many moves to look ahead.
static void plan_turn(const GothelloClient &client)
{
    // Each side has at most about 20 moves in a game, so a move gets a twentieth of the time for the whole game, and
    // 3/4 of the time for each move. The rest, and a bank, is for delays, such as a busy machine.
    const TimeControl control = client.time_control();
    const double left = client.my_time().value_or(20);  // we lose on time after `left` seconds; without clocks, think for 1 s
    double seconds = left / 20;
    furthest = FURTHEST;
    if (control.move_time > 0) {
        seconds = 0.75 * control.move_time;
    } else if (control.periods > 0) {  // the main time is used up first; a period that is not exceeded comes back
        seconds = std::max((left - control.periods * control.period) / 20, 0.75 * control.period);
    } else if (control.increment > 0) {
        seconds = std::min(left / 20 + 0.75 * control.increment, 0.75 * left);
    } else {
        furthest = DEPTH;
    }
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

// Makes our move, also on the board. If the referee refuses it, tries another one.
static Reply take_turn(GothelloClient &client, Board &board, bool passed)
{
    Points refused;
    plan_turn(client);
    while (const auto point = choose(board, client.side(), passed, refused)) {
        const Reply reply = client.play(name_of(*point));
        if (std::holds_alternative<Accepted>(reply)) board = board.after_move(client.side(), *point);
        const auto refusal = std::get_if<Refused>(&reply);
        if (!refusal) return reply;
        std::cerr << name_of(*point) << " was refused: " << refusal->text << '\n';
        refused.push_back(*point);
    }
    const Reply reply = client.pass();
    return std::holds_alternative<Refused>(reply) ? client.resign() : reply;  // a pass is never refused
}

// Plays a game to its end.
static GameOver play(GothelloClient &client)
{
    Board board;
    bool passed = false;
    for (Side to_move = Side::black;; to_move = opponent_of(to_move)) {
        if (to_move == client.side() && client.told() == 0) {  // an opening may contain moves of ours
            take_turn(client, board, passed);                  // if this ends the game, next() reports it
            to_move = opponent_of(to_move);
        }
        const Event event = client.next();
        if (const auto over = std::get_if<GameOver>(&event)) return *over;
        passed = std::holds_alternative<Pass>(event);
        if (const auto move = std::get_if<Move>(&event)) board = board.after_move(to_move, point_of(move->point));
    }
}

int main(int argc, char **argv)
try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const char *name = std::getenv("GOTHELLO_NAME");  // the arena also sets this variable
    if (!name) name = "";
    std::unique_ptr<GothelloClient> client;
    if (words.size() == 2 && words[1] == "--stdio") {
        client = std::make_unique<GothelloClient>(words[0], name);
    } else if (words.size() == 3) {
        client = std::make_unique<GothelloClient>(words[0], words[1], std::stoi(words[2]), name);
    } else {
        std::cerr << "usage: bot SIDE HOST PORT, or bot SIDE --stdio\n";
        return 2;
    }
    std::cerr << play(*client).text << '\n';
} catch (const NoSeat &error) {
    std::cerr << "bot: " << error.what() << '\n';
    return 1;
}
