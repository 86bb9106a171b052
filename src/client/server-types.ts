import type { Bag } from '../jsonrpc/message.ts';

/**
 * The tools and prompts of a server, as types: the parameter of `ClientCore` and `McpClient`. `barewire types TARGET` writes such a
 * type. It is erased when the program is compiled.
 */
export interface ServerTypes {
  /** By the name of the tool: its arguments, and its structured content. */
  readonly tools: { readonly [name: string]: { readonly input: object; readonly output: unknown } };
  /** By the name of the prompt: its arguments. */
  readonly prompts: { readonly [name: string]: object };
}

/** A server with unknown tools and prompts. */
export interface AnyServer {
  readonly tools: { readonly [name: string]: { readonly input: Readonly<Bag>; readonly output: unknown } };
  readonly prompts: { readonly [name: string]: Readonly<Record<string, string>> };
}

/** The names of a server's tools. */
export type ToolName<S extends ServerTypes> = keyof S['tools'] & string;

/** The names of a server's prompts. */
export type PromptName<S extends ServerTypes> = keyof S['prompts'] & string;

/** The names of the tools or prompts that need no arguments. `A`: the types of the arguments, by name. */
export type Bare<A extends { readonly [name: string]: object }> = { [N in keyof A]: Record<never, never> extends A[N] ? N : never }[keyof A] & string;

/** The names of a server's tools that need no arguments. */
export type BareToolName<S extends ServerTypes> = Bare<{ readonly [N in keyof S['tools']]: S['tools'][N]['input'] }> & ToolName<S>;

/** The structured content of a tool: the caller's type (`callTool<T>`), else the type in the server's types. */
export type Structured<S extends ServerTypes, N extends ToolName<S>, T> = [T] extends [never] ? S['tools'][N]['output'] : T;
