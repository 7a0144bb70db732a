/* The referee's protocol, so that a bot need not know it.
 *
 *     Client *client = gothello_connect("black", "localhost", 29068, "my bot");
 *     gothello_play(client, "c3");              our move; what the referee says about it is returned
 *     Event event = gothello_next(client);      waits for the opponent's move, or for the end of the game
 */
#ifndef GOTHELLO_CLIENT_H
#define GOTHELLO_CLIENT_H

enum { BLACK = 'b', WHITE = 'w', NO_CLOCK = -1 };

typedef struct Client Client;

/* What the opponent did. A move's point is written like "c3". */
typedef enum { MOVE, PASS, GAME_OVER } EventKind;
typedef struct {
    EventKind kind;
    char point[8];
} Event;

/* What the referee says about our move. After a refusal it is still our turn, and the clock runs on. */
typedef enum { ACCEPTED, REFUSED, ENDED } Reply;

/* How the game ended for us. UNKNOWN: it goes on, or it broke off. */
typedef enum { UNKNOWN, WIN, LOSS, DRAW } Result;

/* Takes a seat, and waits until the game begins. `side` is "black", "white", or "?" for either; a `port` from 0 to 29
 * is a server number; `name` may be "". Without a seat there is no game: these two then end the program with
 * a message. */
Client *gothello_connect(const char *side, const char *host, int port, const char *name);
Client *gothello_stdio(const char *side, const char *name); /* the referee is at stdin and stdout */
void gothello_close(Client *client);

/* Black begins: black plays first, and white waits for `gothello_next` first. Every way in which a game can end is
 * GAME_OVER or ENDED, and later calls return it again. */
Event gothello_next(Client *client);
Reply gothello_play(Client *client, const char *point);
Reply gothello_pass(Client *client);
Reply gothello_resign(Client *client);

char gothello_side(const Client *client);          /* BLACK or WHITE */
int gothello_my_time(const Client *client);        /* whole seconds left, as last heard, or NO_CLOCK */
int gothello_opponent_time(const Client *client);
Result gothello_result(const Client *client);
const char *gothello_text(const Client *client);   /* the referee's last line: why it refused, how the game ended */

#endif
