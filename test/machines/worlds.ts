import type { Kind } from '../explore/explorer.ts';
import { handshake } from './worlds/handshake.ts';
import { idle } from './worlds/idle.ts';
import { subscription } from './worlds/subscription.ts';

/** Worlds of what those of test/explore do not reach: a handshake in every order, subscriptions, sessions that end by themselves. */
export const ownWorlds: readonly Kind[] = [handshake, subscription, idle];
