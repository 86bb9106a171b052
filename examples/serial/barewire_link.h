/*
 * A link over a serial line, for firmware: the frames of docs/serial.md, one side of them, in one file of C99 without a
 * library. It allocates nothing. Define BW_MTU, BW_WINDOW and BW_OUT before including it to change what it takes.
 *
 *   static bw_link link = { .write = to_uart, .bytes = to_parser, .opened = begin, .lost = forget };
 *   bw_open(&link, BW_SERVER, id_that_no_earlier_start_had, now_ms);
 *   forever: bw_receive(&link, bytes, count, now_ms); bw_tick(&link, now_ms);
 *   to say something: bw_send(&link, bytes, count, now_ms); it takes all of it, or returns 0
 *
 * The same licence as barewire.
 */
#ifndef BAREWIRE_LINK_H
#define BAREWIRE_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef BW_MTU
#define BW_MTU 64 /* bytes of a frame on the line, 20 to 256 */
#endif
#ifndef BW_WINDOW
#define BW_WINDOW 4 /* data frames in transit, 1 to 64 */
#endif
#ifndef BW_OUT
#define BW_OUT 1024 /* bytes that may wait to be sent or acknowledged */
#endif

enum { BW_HELLO, BW_WELCOME, BW_DATA, BW_ACK, BW_POLL, BW_REJECT, BW_BYE };
enum { BW_SERVER = 0, BW_CLIENT = 8 };
enum { BW_HELLO_MS = 1000, BW_KEEPALIVE_MS = 5000, BW_DEAD_MS = 20000, BW_RETRY_MS = 1000, BW_RETRY_MOST_MS = 16000 };

typedef struct bw_link {
  /* Set by the program. `user` is passed to each callback. */
  void *user;
  void (*write)(void *user, const uint8_t *bytes, size_t count);
  void (*bytes)(void *user, const uint8_t *bytes, size_t count);
  void (*opened)(void *user);
  void (*lost)(void *user);
  /* Internal state of the link. */
  uint8_t side, up, confirmed, expected, base, sent, unacknowledged, peer_window, owes_ack, peers;
  int rejected;
  uint32_t id, peer, before[8], state;
  uint32_t heard, spoke, greeted, waiting, retry;
  uint8_t lengths[BW_WINDOW]; /* of the unacknowledged payloads */
  uint8_t out[BW_OUT];        /* unacknowledged bytes, then queued bytes */
  size_t out_count;
  uint8_t part[256]; /* bytes received since the last zero */
  size_t part_count;
} bw_link;

static uint32_t bw_crc(uint32_t state, const uint8_t *bytes, size_t count) {
  while (count--) {
    state ^= *bytes++;
    for (int bit = 0; bit < 8; bit++) state = (state >> 1) ^ (state & 1 ? 0xedb88320u : 0);
  }
  return state;
}

static void bw_put32(uint8_t *to, uint32_t value) {
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t bw_get32(const uint8_t *from) {
  return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint32_t bw_link_state(uint32_t one, uint32_t other) {
  uint8_t ids[8];
  bw_put32(ids, one < other ? one : other);
  bw_put32(ids + 4, one < other ? other : one);
  return bw_crc(0xffffffffu, ids, 8);
}

/* Writes a frame; returns its length on the line, at most count + 11. */
static size_t bw_frame(uint8_t *to, uint8_t first, uint8_t number, uint8_t expected, uint8_t window, const uint8_t *payload,
                       size_t count, uint32_t state) {
  const uint8_t head[5] = {first, number, expected, window, (uint8_t)count};
  memcpy(to + 1, head, 5);
  if (count) memcpy(to + 6, payload, count);
  bw_put32(to + 6 + count, ~bw_crc(state, to + 1, 5 + count));
  const size_t length = 9 + count;
  uint8_t distance = 1;
  to[0] = to[length + 1] = 0;
  for (size_t at = length + 1; at-- > 0; distance++) {
    if (to[at]) continue;
    to[at] = distance;
    distance = 0;
  }
  return length + 2;
}

static void bw_say(bw_link *link, uint8_t kind, uint8_t number, const uint8_t *payload, size_t count, uint32_t now) {
  uint8_t frame[257];
  size_t zero = kind == BW_HELLO; /* a zero before HELLO ends a frame begun by noise */
  frame[0] = 0;
  size_t length = bw_frame(frame + zero, (uint8_t)(1 << 4 | link->side | kind), number, link->expected, BW_WINDOW, payload, count,
                           kind <= BW_WELCOME ? 0xffffffffu : link->state);
  link->spoke = now;
  if (kind == BW_ACK || kind == BW_DATA) link->owes_ack = 0;
  link->write(link->user, frame, length + zero);
}

static void bw_control(bw_link *link, uint8_t kind, uint32_t now) {
  bw_say(link, kind, (uint8_t)(link->base + link->sent), NULL, 0, now);
}

static void bw_welcome(bw_link *link, uint32_t other, uint32_t now) {
  uint8_t ids[8];
  bw_put32(ids, link->id);
  bw_put32(ids + 4, other);
  bw_say(link, BW_WELCOME, 0, ids, 8, now);
}

/* Sends data while the window has room. */
static void bw_pump(bw_link *link, uint32_t now) {
  if (!link->up) return;
  while (link->sent < link->peer_window && link->sent < BW_WINDOW) {
    size_t at = 0;
    for (uint8_t i = 0; i < link->sent; i++) at += link->lengths[i];
    if (link->sent == link->unacknowledged) {
      size_t count = link->out_count - at;
      if (count == 0) break;
      if (count > BW_MTU - 11) count = BW_MTU - 11;
      link->lengths[link->unacknowledged++] = (uint8_t)count;
    }
    if (link->sent == 0) link->waiting = now;
    bw_say(link, BW_DATA, (uint8_t)(link->base + link->sent), link->out + at, link->lengths[link->sent], now);
    link->sent++;
  }
}

static void bw_forget(bw_link *link) {
  link->up = link->confirmed = link->owes_ack = 0;
  link->expected = link->base = link->sent = link->unacknowledged = 0;
  link->rejected = -1;
  link->retry = BW_RETRY_MS;
  link->out_count = 0;
}

static void bw_greet(bw_link *link, uint32_t now) {
  uint8_t id[4];
  link->greeted = now;
  bw_put32(id, link->id);
  if (link->up) bw_welcome(link, link->peer, now);
  else bw_say(link, BW_HELLO, 0, id, 4, now);
}

/* `id`: a number that no earlier link of this side used, also before a restart. Later links increment it. */
static void bw_open(bw_link *link, uint8_t side, uint32_t id, uint32_t now) {
  link->side = side;
  link->id = id;
  bw_forget(link);
  bw_greet(link, now);
}

static void bw_lose(bw_link *link, int again, uint32_t now) {
  bw_forget(link);
  link->lost(link->user);
  if (again) bw_open(link, link->side, link->id + 1, now);
}

static void bw_acknowledge(bw_link *link, uint8_t expected, uint8_t window, uint32_t now) {
  const uint8_t count = (uint8_t)(expected - link->base);
  if (count > link->unacknowledged) return; /* acknowledges unsent data, or is outdated */
  if (!link->peer_window && window) link->sent = 0; /* the peer dropped the frames sent meanwhile */
  link->peer_window = window;
  if (!count) return;
  size_t bytes = 0;
  for (uint8_t i = 0; i < count; i++) bytes += link->lengths[i];
  memmove(link->out, link->out + bytes, link->out_count -= bytes);
  memmove(link->lengths, link->lengths + count, link->unacknowledged -= count);
  link->base = expected;
  link->sent = link->sent > count ? (uint8_t)(link->sent - count) : 0;
  link->waiting = now;
  link->retry = BW_RETRY_MS;
}

static void bw_welcomed(bw_link *link, uint32_t peer, uint8_t window, uint32_t now) {
  if (link->up && peer == link->peer) {
    link->owes_ack = 1;
    return;
  }
  for (uint8_t i = 0; i < 8 && i < link->peers; i++) if (link->before[i] == peer) return; /* late */
  if (link->up) {
    link->before[link->peers++ & 7] = link->peer;
    bw_lose(link, 0, now);
  }
  link->up = 1;
  link->peer = peer;
  link->state = bw_link_state(link->id, peer);
  link->peer_window = window ? window : 1;
  link->heard = now;
  bw_greet(link, now);
  bw_control(link, BW_ACK, now);
  link->opened(link->user);
}

static void bw_take(bw_link *link, uint32_t now) {
  uint8_t *f = link->part;
  size_t at = 0;
  while (at < link->part_count) {
    const uint8_t distance = f[at];
    f[at] = 0;
    at += distance;
  }
  if (at != link->part_count || at < 10) return;
  const uint8_t *c = f + 1;
  const size_t end = link->part_count - 5;
  const uint8_t kind = c[0] & 7;
  if (c[0] >> 4 != 1 || kind > BW_BYE || (c[0] & 8) == link->side || end != 5u + c[4]) return;
  if (kind > BW_WELCOME && !link->up) return;
  if (~bw_crc(kind <= BW_WELCOME ? 0xffffffffu : link->state, c, end) != bw_get32(c + end)) return;
  const uint8_t *payload = c + 5;
  if (kind == BW_HELLO) {
    if (c[4] == 4) bw_welcome(link, bw_get32(payload), now);
    return;
  }
  if (kind == BW_WELCOME) {
    if (c[4] == 8 && bw_get32(payload + 4) == link->id) bw_welcomed(link, bw_get32(payload), c[3], now);
    return;
  }
  link->heard = now;
  link->confirmed = 1;
  if (kind == BW_BYE) {
    bw_lose(link, 1, now);
    return;
  }
  bw_acknowledge(link, c[2], c[3], now);
  if (kind == BW_REJECT && c[2] == link->base) link->sent = 0;
  if (kind == BW_POLL || kind == BW_DATA) link->owes_ack = 1;
  if (kind != BW_DATA) return;
  if (c[1] == link->expected) {
    link->expected++;
    link->bytes(link->user, payload, c[4]);
  } else if ((uint8_t)(c[1] - link->expected) < 128 && link->rejected != link->expected) {
    link->rejected = link->expected;
    link->owes_ack = 0;
    bw_control(link, BW_REJECT, now);
  }
}

static void bw_receive(bw_link *link, const uint8_t *bytes, size_t count, uint32_t now) {
  for (; count--; bytes++) {
    if (*bytes) {
      if (link->part_count < 256) link->part[link->part_count++] = *bytes;
    } else {
      if (link->part_count && link->part_count < 256) bw_take(link, now);
      link->part_count = 0;
    }
  }
  if (link->owes_ack) bw_control(link, BW_ACK, now);
  bw_pump(link, now);
}

/* Returns count, or 0 if there is no link, or no room for all of it now. */
static size_t bw_send(bw_link *link, const uint8_t *bytes, size_t count, uint32_t now) {
  if (!link->up || count > BW_OUT - link->out_count) return 0;
  memcpy(link->out + link->out_count, bytes, count);
  link->out_count += count;
  bw_pump(link, now);
  return count;
}

/* Call it every few milliseconds. `now` may wrap. */
static void bw_tick(bw_link *link, uint32_t now) {
  if (!link->up) {
    if (now - link->greeted >= BW_HELLO_MS) bw_greet(link, now);
    return;
  }
  if (now - link->heard >= BW_DEAD_MS) {
    bw_lose(link, 1, now);
    return;
  }
  if (!link->confirmed && now - link->greeted >= BW_HELLO_MS) bw_greet(link, now);
  if (link->unacknowledged && now - link->waiting >= link->retry) {
    link->retry = link->retry * 2 > BW_RETRY_MOST_MS ? BW_RETRY_MOST_MS : link->retry * 2;
    link->waiting = now;
    link->sent = 0;
    bw_pump(link, now);
  } else if (now - link->spoke >= BW_KEEPALIVE_MS && now - link->heard >= BW_KEEPALIVE_MS) {
    bw_control(link, BW_POLL, now);
  }
}

#endif
