/* Each line of the referee begins with a code of three digits, as defined by version 0.9.2 of the protocol. */
#define _POSIX_C_SOURCE 200809L
#include "gothello_client.h"

#include <ctype.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FIRST_PORT = 29068 }; /* the port of server number 0 */

struct Client {
    FILE *in;
    int out; /* a descriptor without a buffer: bytes are sent at once */
    char side;
    int number; /* the number of our next move; both sides begin with 1 */
    int told;
    int my_time, opponent_time;
    TimeControl control;
    bool over;
    Result result;
    char line[512]; /* the referee's last line */
};

static void fail(const char *what, const char *more)
{
    fprintf(stderr, "gothello_client: %s%s\n", what, more);
    exit(1);
}

/* --- Lines. A read from a socket may return half a line or three lines, so lines are assembled here. --- */

/* Reads the next line that is not blank. It ends with CR, LF or both; a line that is too long is cut off. */
static bool read_line(Client *client)
{
    size_t length = 0;
    int c;
    while ((c = getc(client->in)) != EOF) {
        if (c != '\r' && c != '\n') {
            if (length < sizeof client->line - 1) client->line[length++] = (char)c;
        } else if (length > 0) {
            break;
        }
    }
    if (length == 0) {
        strcpy(client->line, "the referee has closed the connection");
        return false;
    }
    client->line[length] = '\0';
    return true;
}

/* If the referee is gone, the next read reports it. */
static void send_line(const Client *client, const char *line)
{
    char text[256];
    int length = snprintf(text, sizeof text, "%s\r", line);
    for (int sent = 0; sent < length;) {
        ssize_t n = write(client->out, text + sent, (size_t)(length - sent));
        if (n < 0) return;
        sent += (int)n;
    }
}

/* --- Codes. --- */

static void end(Client *client, Result result)
{
    client->over = true;
    client->result = result;
}

static void end_won_by(Client *client, char winner)
{
    end(client, client->side == winner ? WIN : LOSS);
}

/* Notes the end of the game, if `code` is one. Draws, resignations and fallen flags are ordinary endings. */
static void note_ending(Client *client, int code)
{
    switch (code) {
    case 201: end(client, WIN); break;
    case 202: case 204: end(client, LOSS); break;              /* 204: we resigned */
    case 203: case 325: case 326: end(client, DRAW); break;
    case 321: case 324: case 327: case 361: case 392: end_won_by(client, BLACK); break;
    case 322: case 323: case 328: case 362: case 391: end_won_by(client, WHITE); break;
    case 399: end(client, UNKNOWN); break;
    }
}

/* The time control that the arena set in the environment, if it started this bot. */
static TimeControl control_in_environment(void)
{
    static const char *const variables[] = {"GOTHELLO_MOVE_TIME", "GOTHELLO_INCREMENT", "GOTHELLO_PERIODS",
                                            "GOTHELLO_PERIOD"};
    double parts[4];
    for (int i = 0; i < 4; i++) {
        const char *value = getenv(variables[i]);
        parts[i] = value ? atof(value) : 0;
    }
    return (TimeControl){parts[0], parts[1], parts[2], parts[3]};
}

/* Our time control in "347 60+1 is the time control", or in "347 black 600:5x30 white 1/move+60bank is ...". */
static TimeControl control_in(const char *line, char side)
{
    TimeControl control = {0};
    const char *name = side == BLACK ? "black " : "white ", *ours = strstr(line, name);
    char *rest;
    double first = strtod(ours ? ours + strlen(name) : line + 4, &rest);
    if (strncmp(rest, "/move", 5) == 0) {
        control.move_time = first; /* the rest of the bank is in `my_time` */
    } else if (*rest == '+') {
        control.increment = atof(rest + 1);
    } else if (*rest == ':') {
        control.periods = strtod(rest + 1, &rest);
        if (*rest == 'x') control.period = atof(rest + 1);
    }
    return control;
}

/* Reads a line and notes whether it ends the game, and the time on our clock. Returns its code, or -1 at the end. */
static int read_code(Client *client)
{
    if (client->over) return -1;
    if (!read_line(client)) {
        end(client, UNKNOWN);
        return -1;
    }
    const char *line = client->line;
    if (!isdigit((unsigned char)line[0]) || !isdigit((unsigned char)line[1]) || !isdigit((unsigned char)line[2]))
        return 0;
    int code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + line[2] - '0';
    if (code == 101) sscanf(line, "%*d %d %d", &client->my_time, &client->opponent_time); /* our own time comes first */
    if (code == 207) sscanf(line, "%*d %d", &client->my_time);
    if (code == 347) client->control = control_in(line, client->side);
    if (code == 349) sscanf(line, "%*d %d", &client->told);
    int seat; /* 345 names the game, its number of seats, and our seat: 1 is black's */
    if (code == 345 && sscanf(line, "%*d %*s %*d %d", &seat) == 1) client->side = seat == 1 ? BLACK : WHITE;
    note_ending(client, code);
    return client->over ? -1 : code;
}

/* 311 to 318: "311 1 c3", "312 1 ... d4", and with clocks "313 1 c3 59". Black's codes are odd. */
static Event moved(Client *client, int code, bool is_own)
{
    Event event = {.kind = MOVE};
    int number = 0;
    const char *form = code % 2 ? "%*d %d %7s %d" : "%*d %d ... %7s %d";
    sscanf(client->line, form, &number, event.point, is_own ? &client->my_time : &client->opponent_time);
    if (strcmp(event.point, "pass") == 0) event.kind = PASS;
    client->number = client->side == WHITE && !is_own ? number : number + 1;
    if (client->told > 0) client->told--;
    return event;
}

Event gothello_next(Client *client)
{
    int code;
    while ((code = read_code(client)) >= 0) {
        bool by_black = code % 2, is_own = by_black == (client->side == BLACK);
        if (code >= 311 && code <= 318 && (!is_own || client->told > 0)) return moved(client, code, is_own);
    } /* other lines, such as the echo of our own move, need no answer */
    return (Event){.kind = GAME_OVER};
}

static Reply send_move(Client *client, const char *move)
{
    char line[64];
    if (client->over) return ENDED;
    snprintf(line, sizeof line, "%d %s%.20s", client->number, client->side == WHITE ? "... " : "", move);
    send_line(client, line);
    int code;
    while ((code = read_code(client)) >= 0) {
        if (code == 200 || code == 207) return ACCEPTED;
        if (code == 291 || code == 299) return REFUSED;
    }
    return ENDED;
}

Reply gothello_play(Client *client, const char *point) { return send_move(client, point); }
Reply gothello_pass(Client *client) { return send_move(client, "pass"); }
Reply gothello_resign(Client *client) { return send_move(client, "resign"); }

/* --- The seat. --- */

/* "0.9.2 player black" and the name in double quotes, in which a quote is doubled. */
static void say_hello(const Client *client, const char *version, const char *side, const char *name)
{
    char line[200];
    int length = snprintf(line, sizeof line, "%.8s player %.8s", version, side);
    bool named = name[0] != '\0';
    if (named) length += sprintf(line + length, " \"");
    for (int characters = 0; *name != '\0' && length < 190; name++) {
        bool begins_one = (*name & 0xC0) != 0x80; /* in UTF-8, a character's further bytes are 10xxxxxx */
        if (begins_one && ++characters > 31) break; /* names have up to 31 characters */
        if (*name == '"') line[length++] = '"';
        line[length++] = *name;
    }
    strcpy(line + length, named ? "\"" : "");
    send_line(client, line);
}

static Client *new_client(const char *side)
{
    Client *client = calloc(1, sizeof *client);
    if (!client) fail("out of memory", "");
    signal(SIGPIPE, SIG_IGN); /* writing to a referee that is gone must not end the program */
    *client = (Client){.side = side[0] == 'w' ? WHITE : BLACK, .number = 1, .control = control_in_environment(),
                       .my_time = NO_CLOCK, .opponent_time = NO_CLOCK};
    return client;
}

/* Asks the referee at `in` and `out` for a seat, and waits for the game to begin. Returns a refusal's code, or 0. */
static int take_seat(Client *client, FILE *in, int out, const char *version, const char *side, const char *name)
{
    if (!in) fail("out of memory", "");
    client->in = in;
    client->out = out;
    if (!read_line(client)) fail(client->line, ""); /* the greeting, 000 */
    say_hello(client, version, side, name);
    int code;
    while ((code = read_code(client)) >= 0) {
        if (code / 10 == 19) return code;
        if (code == 351 || code == 352) {
            client->side = code == 351 ? WHITE : BLACK;
            break;
        }
    }
    return 0;
}

static int connect_to(const char *host, int port)
{
    char service[16];
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *address;
    snprintf(service, sizeof service, "%d", port < 30 ? FIRST_PORT + port : port);
    if (getaddrinfo(host, service, &hints, &address) != 0) fail("unknown host: ", host);
    int fd = socket(address->ai_family, address->ai_socktype, address->ai_protocol), yes = 1;
    if (fd < 0 || connect(fd, address->ai_addr, address->ai_addrlen) != 0) fail("no referee at port ", service);
    freeaddrinfo(address);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); /* our clock runs until the line arrives */
    return fd;
}

Client *gothello_connect(const char *side, const char *host, int port, const char *name)
{
    Client *client = new_client(side);
    int fd = connect_to(host, port);
    int refusal = take_seat(client, fdopen(fd, "r"), fd, "0.9.2", side, name);
    if (refusal == 198) { /* the referee is older, and has closed the connection */
        fclose(client->in);
        fd = connect_to(host, port);
        refusal = take_seat(client, fdopen(fd, "r"), fd, "0.9.1", side, name);
    }
    if (refusal) fail("no seat: ", client->line);
    return client;
}

Client *gothello_stdio(const char *side, const char *name)
{
    Client *client = new_client(side);
    if (take_seat(client, stdin, STDOUT_FILENO, "0.9.2", side, name)) fail("no seat: ", client->line);
    return client;
}

void gothello_close(Client *client)
{
    fclose(client->in);
    free(client);
}

int gothello_told(const Client *client) { return client->told; }
char gothello_side(const Client *client) { return client->side; }
int gothello_my_time(const Client *client) { return client->my_time; }
int gothello_opponent_time(const Client *client) { return client->opponent_time; }
TimeControl gothello_time_control(const Client *client) { return client->control; }
Result gothello_result(const Client *client) { return client->result; }
const char *gothello_text(const Client *client) { return client->line; }
