// Must compile: the types that barewire infers from the schemas of other libraries.
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Type as OldType } from '@sinclair/typebox';
import { type } from 'arktype';
import Type from 'typebox';
import * as v from 'valibot';
import { z } from 'zod';
import type { InferInput, InferOutput, SchemaSource } from '../../src/schema/index.ts';

/** The schema parameter of `server.tool`. */
declare function tool<const S extends SchemaSource>(
  schema: S,
): { taken: InferInput<S>; made: InferOutput<S> };

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A>(): <B>(value: B, ...proof: Equal<A, B> extends true ? [] : [never]) => void;

const fromZod = tool(z.object({ city: z.string(), days: z.number().default(1) }));
same<{ city: string; days?: number | undefined }>()(fromZod.taken);
same<{ city: string; days: number }>()(fromZod.made);

same<{ city: string; days?: number }>()(tool(type({ city: 'string', 'days?': 'number' })).taken);

const valibot = v.object({ city: v.string(), days: v.pipe(v.string(), v.transform(Number)) });
const fromValibot = tool(toStandardJsonSchema(valibot));
same<{ city: string; days: string }>()(fromValibot.taken);
same<{ city: string; days: number }>()(fromValibot.made);
same<{ city: string; days: number }>()(tool({ standard: valibot, jsonSchema: {} }).made);

same<{ city: string; days?: number }>()(
  tool(Type.Object({ city: Type.String(), days: Type.Optional(Type.Number()) })).taken,
);
const fromOld = tool(
  OldType.Object({ city: OldType.String(), days: OldType.Optional(OldType.Number()) }),
).taken;
const city: string = fromOld.city;
const days: number | undefined = fromOld.days;
void [city, days];

const plain = tool({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }).taken;
same<{ city: string }>()(plain);
// @ts-expect-error a wrong property name
void plain.town;
