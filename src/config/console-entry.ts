import { readGoogleCredentials } from "./google-credentials.ts"
import { asObject, type Finding } from "./finding.ts"
import { dialectsOf } from "./provider-rules.ts"
import { structureFindings } from "./rules.ts"
import { Fault, Faults } from "./reading.ts"
import { partReader } from "./schema.ts"
import type { KnownVendor } from "./vendors.ts"
import { YamlNumber } from "./yaml-value.ts"

const ONLY_IN_FILE = "can be set only in the settings file"

/**
 * The kinds of entries that the console can set: a provider, a model's entry, a price group, or a
 * setting.
 */
export type ConsoleSection = "provider" | "model" | "price_group" | "setting"

/** An entry from the console in the form of `tollgate.yaml`, not validated. */
export interface ConsoleEntry {
  readonly section: ConsoleSection
  /** The id of a provider, a model or a price group, or a setting's name: `timeouts.connect`. */
  readonly id: string
  readonly value?: unknown
}

/** The names that an entry may refer to. */
export interface EntryContext {
  readonly vendors: readonly KnownVendor[]
  /** Ids of the providers that deployments may name. */
  readonly providers: readonly string[]
  /** The reader for `vendors` and `providers`, for callers that check many entries. */
  readonly reader?: ReturnType<typeof readerFor>
}

/** Builds the reader of entries for these vendors and providers. */
export function readerFor(vendors: readonly KnownVendor[], providers: readonly string[]) {
  const names = {
    vendors: vendors.map((vendor) => vendor.id),
    providers,
    dialects: [...new Set(vendors.flatMap(dialectsOf))],
  }
  return partReader(names, "/")
}

/**
 * Returns the problems of an entry, by the rules of `tollgate.yaml`. Paths start at the entry. They are empty for the
 * entire entry or its id.
 */
export function entryFindings(entry: ConsoleEntry, context: EntryContext): readonly Finding[] {
  const { vendors, providers, reader = readerFor(vendors, providers) } = context
  const machine = machineFindings(entry)
  if (machine.length > 0) return machine
  const data = asFile(entry)
  const read = reader.read(data)
  const faults = read instanceof Faults ? read.all : []
  const all: readonly Finding[] = [...faults, ...structureFindings(data, vendors, providers)]
  const depth = entry.section === "setting" ? entry.id.split(".").length : 2
  return all.map((finding) => ({ ...finding, path: finding.path.slice(depth) }))
}

/** Rejects references to local files and the machine's identity, which only operators of the machine may use. */
function machineFindings({ section, value }: ConsoleEntry): Finding[] {
  if (section !== "provider") return []
  const several = asObject(value)?.["api_keys"]
  const places = [
    { path: [], holder: value },
    ...(Array.isArray(several) ? several : []).map((holder: unknown, index) => ({
      path: ["api_keys", index],
      holder,
    })),
  ]
  return places.flatMap(({ path, holder }) => {
    const { credentials, identity } = asObject(holder) ?? {}
    if (identity !== undefined && identity !== null) {
      return [{ path: [...path, "identity"], message: ONLY_IN_FILE }]
    }
    if (typeof credentials !== "string") return []
    if (!credentials.trimStart().startsWith("{")) {
      const message = "must be Google credentials as JSON, which begins with '{'"
      return [{ path: [...path, "credentials"], message }]
    }
    const read = readGoogleCredentials(credentials, "/")
    if (read instanceof Fault || !("source" in read)) return []
    return [{ path: [...path, "credentials"], message: `of an external account ${ONLY_IN_FILE}` }]
  })
}

/** Returns the providers that a model's entry or group members name, and the provider in the model's id. */
export function namedProviders(id: string, entry: unknown): string[] {
  const members = asObject(entry)?.["members"]
  if (Array.isArray(members)) {
    const names = members.map((member: unknown) => asObject(member)?.["model"] ?? member)
    return names.flatMap((name) => (typeof name === "string" ? (name.split("/", 1)[0] ?? []) : []))
  }
  const deployments = asObject(entry)?.["deployments"]
  const named = Array.isArray(deployments)
    ? deployments.map((deployment: unknown) => asObject(deployment)?.["provider"])
    : []
  return [...named.filter((name) => typeof name === "string"), id.split("/", 1)[0] ?? ""]
}

/** Returns the data of a file that contains only this entry. */
export function asFile({ section, id, value }: ConsoleEntry): Readonly<Record<string, unknown>> {
  const written = asWritten(value)
  if (section === "provider") return { providers: { [id]: written } }
  if (section === "model") return { models: { [id]: written } }
  if (section === "price_group") return { price_groups: { [id]: written } }
  const [name = "", inner] = id.split(".")
  return { [name]: inner === undefined ? written : { [inner]: written } }
}

/** Converts JSON numbers to numbers as in a file, which keep their digits. */
function asWritten(value: unknown): unknown {
  if (typeof value === "number") return new YamlNumber(String(value))
  if (Array.isArray(value)) return value.map(asWritten)
  const members = asObject(value)
  if (members === undefined) return value
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [name, asWritten(one)]))
}
