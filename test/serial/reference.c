/* Drives examples/serial/barewire_link.h by lines: "o SIDE ID NOW", "r HEX NOW", "s HEX NOW", "t NOW". Each is answered by
   the actions of the link ("w HEX", "b HEX", "o", "l", "n" if it had no room), and a line with a dot. "v FIRST NUMBER
   EXPECTED WINDOW HEX STATE" writes one frame, "i ONE OTHER" the state of a link. */
#include <stdio.h>
#include <stdlib.h>
#include "../../examples/serial/barewire_link.h"

static void hex(char mark, const uint8_t *bytes, size_t count) {
  printf("%c ", mark);
  for (size_t i = 0; i < count; i++) printf("%02x", bytes[i]);
  putchar('\n');
}

static void on_write(void *user, const uint8_t *bytes, size_t count) { (void)user; hex('w', bytes, count); }
static void on_bytes(void *user, const uint8_t *bytes, size_t count) { (void)user; hex('b', bytes, count); }
static void on_opened(void *user) { (void)user; puts("o"); }
static void on_lost(void *user) { (void)user; puts("l"); }

static size_t unhex(uint8_t *to, const char *from) {
  size_t count = 0;
  for (unsigned byte; from[2 * count] && sscanf(from + 2 * count, "%2x", &byte) == 1; count++) to[count] = (uint8_t)byte;
  return count;
}

int main(void) {
  static bw_link link = { .write = on_write, .bytes = on_bytes, .opened = on_opened, .lost = on_lost };
  static char line[8192], text[8000];
  static uint8_t bytes[4000];
  unsigned a, b, c, d, now;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "o %u %u %u", &a, &b, &now) == 3) bw_open(&link, (uint8_t)a, b, now);
    else if (sscanf(line, "r %7999s %u", text, &now) == 2) bw_receive(&link, bytes, unhex(bytes, text), now);
    else if (sscanf(line, "s %7999s %u", text, &now) == 2) {
      if (!bw_send(&link, bytes, unhex(bytes, text), now)) puts("n");
    } else if (sscanf(line, "t %u", &now) == 1) bw_tick(&link, now);
    else if (sscanf(line, "i %u %u", &a, &b) == 2) printf("i %u\n", bw_link_state(a, b));
    else if (sscanf(line, "v %u %u %u %u %7999s %u", &a, &b, &c, &d, text, &now) == 6) {
      uint8_t frame[300];
      const size_t count = text[0] == '-' ? 0 : unhex(bytes, text);
      hex('v', frame, bw_frame(frame, (uint8_t)a, (uint8_t)b, (uint8_t)c, (uint8_t)d, bytes, count, now));
    }
    puts(".");
    fflush(stdout);
  }
  return 0;
}
