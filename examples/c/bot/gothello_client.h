/* The referee's protocol, so that a bot does not have to deal with it.
 *
 *     Client *client = gothello_connect("black", "localhost", 29068, "my bot");
 *     gothello_play(client, "c3");              makes our move, and returns the referee's answer
 *     Event event = gothello_next(client);      waits for the opponent's move, or for the end of the game
 */
#ifndef GOTHELLO_CLIENT_H
#define GOTHELLO_CLIENT_H

enum { BLACK = 'b', WHITE = 'w', NO_CLOCK = -1 };

typedef struct Client Client;

/* What our clock gives for each move, in seconds. Values that do not apply to the time control are 0. */
typedef struct {
    double move_time;       /* for each move */
    double increment;       /* added to our time after each move */
    double periods, period; /* of byo-yomi: the number of periods, and the length of each */
} TimeControl;

/* What the opponent did, or a move of an opening. A move's point is written like "c3". */
typedef enum { MOVE, PASS, GAME_OVER } EventKind;
typedef struct {
    EventKind kind;
    char point[8];
} Event;

/* The referee's answer to our move. After a refusal, it is still our turn, and our clock keeps running. */
typedef enum { ACCEPTED, REFUSED, ENDED } Reply;

/* How the game ended for us. UNKNOWN means that it has not ended, or was broken off. */
typedef enum { UNKNOWN, WIN, LOSS, DRAW } Result;

/* Takes a seat, and waits until the game begins. `side` is "black", "white", or "?" for either; a `port` from 0 to 29
 * is a server number; `name` may be "". Both functions end the program with a message if they get no
 * seat. */
Client *gothello_connect(const char *side, const char *host, int port, const char *name);
Client *gothello_stdio(const char *side, const char *name); /* the referee is at stdin and stdout */
void gothello_close(Client *client);

/* Black moves first, so black starts with `gothello_play` and white with `gothello_next`. However the game ends, you
 * receive GAME_OVER or ENDED, and later calls return it again. */
Event gothello_next(Client *client);
Reply gothello_play(Client *client, const char *point);
Reply gothello_pass(Client *client);
Reply gothello_resign(Client *client);

/* How many given moves, ours included, `gothello_next` has yet to return, as in an opening. */
int gothello_told(const Client *client);
char gothello_side(const Client *client);          /* BLACK or WHITE */
int gothello_my_time(const Client *client);        /* whole seconds left, as last reported, or NO_CLOCK */
int gothello_opponent_time(const Client *client);
TimeControl gothello_time_control(const Client *client);
Result gothello_result(const Client *client);
const char *gothello_text(const Client *client);   /* the referee's last line: why it refused, how the game ended */

#endif
