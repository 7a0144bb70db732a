/* D09: its output to a pipe waits in a buffer of 4096 characters. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char line[600];
    printf("0.9.1 player %s\r\n", getenv("GOTHELLO_SIDE"));
    while (fgets(line, sizeof line, stdin))
        ;
    return 0;
}
