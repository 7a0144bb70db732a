/* D09: what it says to a pipe waits for 4096 characters. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char line[600];
    printf("0.9.1 player %s\r\n", getenv("GOTHELLO_SIDE"));
    while (fgets(line, sizeof line, stdin))
        ;
    return 0;
}
