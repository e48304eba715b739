import { pathName } from "./invalid-request.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"

/**
 * What a vendor stores for later requests. It stores it for the operator, who has one account with the vendor:
 * only the gateway can know which of the operator's customers owns it.
 */
export type StateKind =
  | "response"
  | "conversation"
  | "message"
  | "item"
  | "prompt"
  | "file"
  | "vector_store"
  | "container"
  | "skill"
  | "cache"
  | "audio"

/** The meaning of a member that refers to something stored. */
export interface NamedState {
  readonly kind: StateKind
  /**
   * Whether the request means something else without it: a vendor that does not have it is then not called at
   * all. Otherwise it is a loss like any other.
   */
  readonly isEssential?: boolean
  /** Whether other dialects know it too, as they know files. */
  readonly isShared?: boolean
  /** Whether nothing of it is read into the prompt. */
  readonly isWeightless?: boolean
}

/** Where a body refers to what a vendor stores: a tree of its members, with lists left out. */
export interface StateShape {
  /** What a text at this place is the id of. */
  readonly names?: NamedState
  /** Only a value for which this returns true is checked. */
  readonly when?: (value: JsonValue) => boolean
  readonly members?: readonly (readonly [name: string, shape: StateShape])[]
  /** Of members of any name. */
  readonly each?: StateShape
  /** Further shapes of the same value. */
  readonly also?: readonly StateShape[]
}

/** One object that a body refers to. */
export interface StateReference {
  readonly id: string
  readonly state: NamedState
  /** Of the member that names it: `input[1].id`. */
  readonly path: string
}

/** A shape of members. */
export function stateIn(
  members: Readonly<Record<string, StateShape>>,
  when?: (value: JsonValue) => boolean,
): StateShape {
  const entries = Object.entries(members)
  return when === undefined ? { members: entries } : { members: entries, when }
}

const NONE: readonly StateReference[] = []
const NO_SHAPES: readonly StateShape[] = []
const NO_MEMBERS: NonNullable<StateShape["members"]> = []

/** All stored objects that a body refers to, in the order of the shape. Costs one check per member of the shape. */
export function findState(shape: StateShape, body: JsonObject): readonly StateReference[] {
  const search = new Search()
  search.look(shape, body)
  return search.found ?? NONE
}

class Search {
  found: StateReference[] | undefined
  readonly #path: (string | number)[] = []

  look(shape: StateShape, value: JsonValue): void {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        const element = value[index]
        if (element !== undefined && element !== null) this.#step(index, shape, element)
      }
      return
    }
    for (const other of shape.also ?? NO_SHAPES) this.look(other, value)
    if (shape.when !== undefined && !shape.when(value)) return
    if (typeof value === "string") this.#note(shape, value)
    else if (isJsonObject(value)) this.#lookInto(shape, value)
  }

  #lookInto({ members, each }: StateShape, value: JsonObject): void {
    for (const [name, inner] of members ?? NO_MEMBERS) {
      const member = value[name]
      if (member !== undefined && member !== null) this.#step(name, inner, member)
    }
    if (each === undefined) return
    for (const [name, member] of Object.entries(value)) {
      if (member !== undefined && member !== null) this.#step(name, each, member)
    }
  }

  #step(step: string | number, shape: StateShape, value: JsonValue): void {
    this.#path.push(step)
    this.look(shape, value)
    this.#path.pop()
  }

  #note({ names }: StateShape, id: string): void {
    if (names === undefined || id === "") return
    this.found ??= []
    this.found.push({ id, state: names, path: pathName(this.#path) })
  }
}

function named(state: NamedState): StateShape {
  return { names: state }
}

/** The ids of stored objects, for the shapes of all dialects. */
export const STATE = {
  response: named({ kind: "response", isEssential: true }),
  conversation: named({ kind: "conversation", isEssential: true }),
  message: named({ kind: "message", isEssential: true }),
  item: named({ kind: "item", isEssential: true }),
  prompt: named({ kind: "prompt", isEssential: true }),
  file: named({ kind: "file", isShared: true }),
  /** The tool that searches it bounds its results. */
  vectorStore: named({ kind: "vector_store", isWeightless: true }),
  container: named({ kind: "container", isWeightless: true }),
  skill: named({ kind: "skill", isWeightless: true }),
  cache: named({ kind: "cache" }),
  audio: named({ kind: "audio" }),
} as const satisfies Record<string, StateShape>

/** Addresses that a vendor reads with the operator's own rights: cloud storage, and files uploaded to it. */
const STORAGE = /^\s*gs:/i
const WEB = /^\s*https?:/i
/** That of a region, and that for certificates of the client (`mtlsRootUrl` of the API's discovery document), too. */
const FILES_HOST = /^(?:[a-z0-9-]+-)?generativelanguage\.(?:[a-z0-9-]+\.)*googleapis\.com\.?$/

/** Whether an address leads to something that the operator stores at a vendor. */
export function isVendorAddress(address: JsonValue): boolean {
  if (typeof address !== "string") return false
  if (STORAGE.test(address)) return true
  // Parsed, because hosts can be written in many ways.
  return WEB.test(address) && FILES_HOST.test(URL.parse(address)?.hostname ?? "")
}

/** An address that may lead to a stored file. */
export const FILE_ADDRESS: StateShape = { ...STATE.file, when: isVendorAddress }
