import type { Kind } from '../explore/explorer.ts';
import { idle } from './worlds/idle.ts';
import { subscription } from './worlds/subscription.ts';

/** Worlds of nouns that those of test/explore do not reach: subscriptions, and sessions that end by themselves. */
export const ownWorlds: readonly Kind[] = [subscription, idle];
