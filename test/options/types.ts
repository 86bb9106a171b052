import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API, SignatureKind, SymbolFlags, TypeFlags } from 'typescript/unstable/sync';
import type { Checker, Signature, Symbol, Type } from 'typescript/unstable/sync';

// Finds the published options types with the type checker: every object parameter with an optional member of an exported
// function, class or interface, and nested types of this kind.

export const top: string = fileURLToPath(new URL('../../../', import.meta.url));

/** The `typeof` of a value, and `list` for an array. */
export type ValueKind = 'string' | 'number' | 'boolean' | 'function' | 'list' | 'object';

/** A member of an options type. */
export interface Member {
  readonly name: string;
  /** The accepted kinds of value. Undefined: any. */
  readonly kinds: ReadonlySet<ValueKind> | undefined;
  /** True if strings must be from a closed set. */
  readonly closed: boolean;
  /** The options types that it accepts: directly, in a list, or in a record. */
  readonly inner: readonly { readonly type: OptionsType; readonly as: 'object' | 'list' | 'record' }[];
}

/** An object type with an optional member. */
export interface OptionsType {
  readonly name: string;
  readonly members: readonly Member[];
}

/** A parameter that takes options. */
export interface Place {
  /** Such as `barewire/client McpClient.callTool(options)`. */
  readonly name: string;
  /** `Person` of `Person.approve`; otherwise the name of the function or class. */
  readonly owner: string;
  readonly types: readonly OptionsType[];
}

/** The type files of the entries in `exports` of package.json. */
export function publishedTypes(): ReadonlyMap<string, string> {
  const manifest = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as { name: string; exports: Record<string, { types?: string }> };
  return new Map(Object.entries(manifest.exports).flatMap(([entry, { types }]) =>
    (types === undefined ? [] : [[manifest.name + entry.slice(1), join(top, types)] as const])));
}

/** The places of these entries that take options. */
export function placesOf(entries: ReadonlyMap<string, string>): Place[] {
  const own = mkdtempSync(join(tmpdir(), 'barewire-options-'));
  writeFileSync(join(own, 'tsconfig.json'), JSON.stringify({
    compilerOptions: {
      strict: true, exactOptionalPropertyTypes: true, module: 'nodenext', target: 'es2022', lib: ['es2023'], types: ['node'],
      typeRoots: [join(top, 'node_modules/@types')], noEmit: true, skipLibCheck: true,
    },
    files: [...entries.values()],
  }));
  const api = new API({ cwd: own });
  try {
    const [project] = api.updateSnapshot({ openProject: join(own, 'tsconfig.json') }).getProjects();
    if (!project) throw new Error('the types were not read');
    const reader = new Reader(project.checker);
    for (const [entry, file] of entries) {
      const source = project.program.getSourceFile(file);
      const module = source && project.checker.getSymbolAtLocation(source);
      if (module) reader.module(entry, module);
    }
    return reader.places;
  } finally {
    api.close();
    rmSync(own, { recursive: true, force: true });
  }
}

class Reader {
  readonly places: Place[] = [];
  readonly #checker: Checker;
  readonly #done = new Set<number>();
  readonly #types = new Map<number, OptionsType>();
  /** Lists and records being read, since a list type may contain itself. */
  readonly #reading = new Set<number>();

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  module(entry: string, module: Symbol): void {
    for (const exported of this.#checker.getExportsOfModule(module)) {
      const symbol = exported.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(exported) : exported;
      // A symbol exported by several entries counts in the first.
      if (!this.#done.has(symbol.id)) this.#exported(`${entry} ${symbol.name}`, symbol);
      this.#done.add(symbol.id);
    }
  }

  #exported(at: string, symbol: Symbol): void {
    const { flags, name } = symbol;
    const value = (): Type | undefined => this.#checker.getTypeOfSymbol(symbol);
    if (flags & SymbolFlags.Function) this.#calls(at, name, value(), SignatureKind.Call);
    if (flags & SymbolFlags.Class) this.#calls(`${at}.constructor`, name, value(), SignatureKind.Construct);
    if (!(flags & (SymbolFlags.Class | SymbolFlags.Interface | SymbolFlags.TypeAlias | SymbolFlags.Variable))) return;
    const type = flags & SymbolFlags.Variable ? value() : this.#checker.getDeclaredTypeOfSymbol(symbol);
    if (!type || !(type.isObjectType() || type.isIntersectionType())) return;
    this.#calls(at, name, type, SignatureKind.Call);
    for (const member of this.#checker.getPropertiesOfType(type)) {
      const held = this.#checker.getTypeOfSymbol(member);
      this.#calls(`${at}.${member.name}`, name, held && this.#checker.getNonNullableType(held), SignatureKind.Call);
    }
  }

  #calls(at: string, owner: string, type: Type | undefined, kind: SignatureKind): void {
    const parameters = new Map<string, OptionsType[]>();
    for (const signature of type ? this.#checker.getSignaturesOfType(type, kind) : []) this.#signature(signature, parameters);
    for (const [name, types] of parameters) this.places.push({ name: `${at}(${name})`, owner, types });
  }

  #signature(signature: Signature, found: Map<string, OptionsType[]>): void {
    for (const parameter of signature.getParameters()) {
      const type = this.#checker.getTypeOfSymbol(parameter);
      // A destructured parameter has no name.
      const name = /^\w+$/.test(parameter.name) && !parameter.name.startsWith('__') ? parameter.name : 'options';
      for (const { type: one } of type ? this.#optionsIn(type) : []) {
        const known = found.get(name) ?? [];
        if (!known.includes(one)) found.set(name, [...known, one]);
      }
    }
  }

  /** The parts of a union; a type parameter counts as its constraint. */
  #parts(type: Type): Type[] {
    if (type.isUnionType()) return type.getTypes().flatMap((part) => this.#parts(part));
    if (type.isSubstitutionType()) return this.#parts(type.getBaseType());
    // `string & {}`: any string, in addition to those that an editor suggests.
    if (type.isIntersectionType()) return type.getTypes().filter(({ flags }) => flags & TypeFlags.String).concat(type).slice(0, 1);
    if (!type.isTypeParameter()) return [type];
    const constraint = this.#checker.getBaseConstraintOfType(type);
    return constraint && constraint !== type ? this.#parts(constraint) : [type];
  }

  #kindOf(part: Type): ValueKind | 'any' | undefined {
    const { flags } = part;
    if (flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.TypeParameter | TypeFlags.Conditional | TypeFlags.IndexedAccess)) return 'any';
    if (flags & TypeFlags.StringLike) return 'string';
    if (flags & TypeFlags.NumberLike) return 'number';
    if (flags & TypeFlags.BooleanLike) return 'boolean';
    if (flags & TypeFlags.NonPrimitive) return 'object';
    if (!(part.isObjectType() || part.isIntersectionType())) return undefined;
    if (this.#checker.isArrayLikeType(part)) return 'list';
    return this.#checker.getSignaturesOfType(part, SignatureKind.Call).length > 0 ? 'function' : 'object';
  }

  #optionsIn(type: Type): Member['inner'] {
    return this.#parts(type).flatMap((part): Member['inner'] => {
      const kind = this.#kindOf(part);
      if (kind === 'list') {
        return this.#items(part, 'list');
      }
      if (kind !== 'object' || (part.getSymbol()?.flags ?? 0) & SymbolFlags.Class) return [];
      const own = this.#optionsType(part);
      if (own) return [{ type: own, as: 'object' }];
      return this.#items(part, 'record');
    });
  }

  /** The options types in a list or a record. */
  #items(whole: Type, as: 'list' | 'record'): Member['inner'] {
    const [item] = this.#checker.getIndexInfosOfType(whole);
    if (!item || this.#reading.has(whole.id)) return [];
    this.#reading.add(whole.id);
    const found = this.#optionsIn(item.valueType).filter((one) => one.as === 'object').map(({ type }) => ({ type, as }));
    this.#reading.delete(whole.id);
    return found;
  }

  #optionsType(type: Type): OptionsType | undefined {
    const known = this.#types.get(type.id);
    if (known) return known;
    // Types of Node and the language are not checked by this package.
    const ours = this.#checker.getPropertiesOfType(type)
      .filter(({ declarations }) => declarations.every(({ path }) => !/node_modules|\/lib\.|^bundled/.test(path)));
    if (!ours.some(({ flags }) => flags & SymbolFlags.Optional)) return undefined;
    const members: Member[] = [];
    const found = { name: this.#checker.typeToString(type), members };
    // Before its members, since a type may contain itself.
    this.#types.set(type.id, found);
    members.push(...ours.map((member) => this.#member(member)));
    return found;
  }

  #member(symbol: Symbol): Member {
    const type = this.#checker.getTypeOfSymbol(symbol);
    const parts = type ? this.#parts(type) : [];
    const kinds = parts.map((part) => this.#kindOf(part));
    return {
      name: symbol.name,
      kinds: kinds.includes('any') || !type ? undefined : new Set(kinds.filter((kind): kind is ValueKind => kind !== undefined && kind !== 'any')),
      closed: !parts.some(({ flags }) => flags & (TypeFlags.String | TypeFlags.TemplateLiteral)),
      inner: type ? this.#optionsIn(type) : [],
    };
  }
}
