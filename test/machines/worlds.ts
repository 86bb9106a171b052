import type { Kind } from '../explore/explorer.ts';
import { handshake } from './worlds/handshake.ts';
import { idle } from './worlds/idle.ts';
import { subscription } from './worlds/subscription.ts';

/** Worlds not covered by test/explore: a handshake in every order, subscriptions, sessions that expire. */
export const ownWorlds: readonly Kind[] = [handshake, subscription, idle];
