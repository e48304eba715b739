import { pathName } from "./invalid-request.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"

/**
 * Kinds of objects that a vendor stores for later requests. All of them belong to the operator's one account at the
 * vendor. Only the gateway can determine which of the operator's customers owns an object.
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

/** The meaning of a member that refers to an object stored by a vendor. */
export interface NamedState {
  readonly kind: StateKind
  /**
   * Whether the request has a different meaning without the object. If so, only vendors that have the object are
   * called. Otherwise, a reference that cannot be carried is an ordinary loss.
   */
  readonly isEssential?: boolean
  /** Whether other dialects can also refer to such objects, for example to files. */
  readonly isShared?: boolean
  /** Whether no part of the object is read into the prompt. */
  readonly isWeightless?: boolean
}

/**
 * The places in a body that refer to a vendor's stored objects. The shape is a tree of the body's members and has no
 * levels for lists.
 */
export interface StateShape {
  /** The kind of object whose id is at this place. */
  readonly names?: NamedState
  /** Selects the values that are ids of stored objects; absent if all values are. */
  readonly when?: (value: JsonValue) => boolean
  readonly members?: readonly (readonly [name: string, shape: StateShape])[]
  /** The shape of each member, regardless of its name. */
  readonly each?: StateShape
  /** Further shapes of the same value. */
  readonly also?: readonly StateShape[]
}

/** A reference in a body to an object that a vendor stores. */
export interface StateReference {
  readonly id: string
  readonly state: NamedState
  /** Path of the member that contains the id, such as `input[1].id`. */
  readonly path: string
}

/** Builds a shape from the shapes of its members. */
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

/**
 * Returns all stored objects that a body refers to, in the order of the shape. Checks only the members that the shape
 * names.
 */
export function findState(shape: StateShape, body: JsonObject): readonly StateReference[] {
  const search = new Search()
  search.visit(shape, body)
  return search.found ?? NONE
}

class Search {
  found: StateReference[] | undefined
  readonly #path: (string | number)[] = []

  visit(shape: StateShape, value: JsonValue): void {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        const element = value[index]
        if (element !== undefined && element !== null) this.#step(index, shape, element)
      }
      return
    }
    for (const other of shape.also ?? NO_SHAPES) this.visit(other, value)
    if (shape.when !== undefined && !shape.when(value)) return
    if (typeof value === "string") this.#add(shape, value)
    else if (isJsonObject(value)) this.#visitMembers(shape, value)
  }

  #visitMembers({ members, each }: StateShape, value: JsonObject): void {
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
    this.visit(shape, value)
    this.#path.pop()
  }

  #add({ names }: StateShape, id: string): void {
    if (names === undefined || id === "") return
    this.found ??= []
    this.found.push({ id, state: names, path: pathName(this.#path) })
  }
}

function named(state: NamedState): StateShape {
  return { names: state }
}

/** The shapes of ids of stored objects, shared by all dialects. */
export const STATE = {
  response: named({ kind: "response", isEssential: true }),
  conversation: named({ kind: "conversation", isEssential: true }),
  message: named({ kind: "message", isEssential: true }),
  item: named({ kind: "item", isEssential: true }),
  prompt: named({ kind: "prompt", isEssential: true }),
  file: named({ kind: "file", isShared: true }),
  /** The tool limits the size of its search results, so the whole object is never read into the prompt. */
  vectorStore: named({ kind: "vector_store", isWeightless: true }),
  container: named({ kind: "container", isWeightless: true }),
  skill: named({ kind: "skill", isWeightless: true }),
  cache: named({ kind: "cache" }),
  audio: named({ kind: "audio" }),
} as const satisfies Record<string, StateShape>

/** Matches addresses in cloud storage, which a vendor reads with the operator's own permissions. */
const STORAGE = /^\s*gs:/i
/** Matches an HTTP URL up to the end of its host. */
const WEB_HOST = /^\s*https?:[\s/\\]*[^/\\?#]*/i
/**
 * Matches the hosts of files uploaded to Google, including regional hosts and the host for client certificates
 * (`mtlsRootUrl` of the API's discovery document).
 */
const FILES_HOST = /^(?:[a-z0-9-]+-)?generativelanguage\.(?:[a-z0-9-]+\.)*googleapis\.com\.?$/

/** Reports whether an address refers to an object that the operator stores at a vendor. */
export function isVendorAddress(address: JsonValue): boolean {
  if (typeof address !== "string") return false
  if (STORAGE.test(address)) return true
  // The host is parsed, because it can be written in many ways. Paths may be long, so they are not parsed.
  const [origin] = WEB_HOST.exec(address) ?? []
  return origin !== undefined && FILES_HOST.test(URL.parse(origin)?.hostname ?? "")
}

/** The shape of an address that may refer to a stored file. */
export const FILE_ADDRESS: StateShape = { ...STATE.file, when: isVendorAddress }
