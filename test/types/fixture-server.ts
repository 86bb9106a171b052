// Written by `barewire types`: the tools and prompts of a server, for McpClient. Write it again, or compare it with --check.

export interface Fixture {
  tools: {
    ask: {
      input: Record<string, never>;
      output: unknown;
    };
    broken: {
      input: Record<string, never>;
      output: unknown;
    };
    die: {
      input: Record<string, never>;
      output: unknown;
    };
    /** Says it again */
    echo: {
      input: {
        text: string;
        times?: number;
      };
      output: unknown;
    };
    fail: {
      input: Record<string, never>;
      output: unknown;
    };
    picture: {
      input: Record<string, never>;
      output: unknown;
    };
    rows: {
      input: Record<string, never>;
      output: {
        rows?: unknown[];
      };
    };
    slow: {
      input: Record<string, never>;
      output: unknown;
    };
    /** Wipes the disk */
    wipe: {
      input: Record<string, never>;
      output: unknown;
    };
  };
  prompts: {
    /** Greets */
    greet: { who: string };
  };
}
