/* A bot that says hello, takes one turn, and then starts threads as fast as it can. When it gets no more, it complains
 * and ends at once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *wait_for_ever(void *nothing) {
    for (;;)
        pause();
    return nothing;
}

int main(void) {
    char line[4096];
    const char *side = getenv("GOTHELLO_SIDE");
    printf("0.9.1 player %s\n", side);
    fflush(stdout);
    for (int lines = strcmp(side, "black") == 0 ? 1 : 2; lines > 0; lines--)
        if (!fgets(line, sizeof line, stdin))
            return 2;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_t thread;
    int refusal;
    while ((refusal = pthread_create(&thread, &small, wait_for_ever, NULL)) == 0)
        ;
    fprintf(stderr, "no thread: %s\n", strerror(refusal));
    _exit(1);
}
