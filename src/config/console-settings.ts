import { buildSettings } from "./build.ts"
import { CHANGEABLE_SETTINGS, isSecretSetting } from "./changeable-settings.ts"
import { asObject } from "./finding.ts"
import {
  asFile,
  type ConsoleSection,
  entryFindings,
  namedProviders,
  readerFor,
} from "./console-entry.ts"
import { defaultName } from "./sections/providers.ts"
import { Faults } from "./reading.ts"
import type { FileSettings } from "./schema.ts"
import type { SecretCipher } from "./secret-cipher.ts"
import type { Settings } from "./settings.ts"
import { named } from "./shapes.ts"
import type { KnownVendor } from "./vendors.ts"

/** An entry in the form of `tollgate.yaml`, not validated. */
export type RawEntry = Readonly<Record<string, unknown>>

/** A stored entry from the console. */
export interface ConsoleRecord {
  readonly section: ConsoleSection
  readonly id: string
  /** JSON of the entry, without secrets. */
  readonly body: string
  /** The entry's secrets, encrypted. */
  readonly encrypted: string | null
}

/** The settings from the file and the environment, which override the console. */
export interface BaseSettings {
  readonly settings: Settings
  /** Names of the settings that the file and the environment set, among those that the console can change. */
  readonly written: readonly string[]
  /** Warnings about these settings; absent if there are none. */
  readonly warnings?: readonly string[]
}

/** The parsed entries from the console. */
export interface ConsoleReading {
  readonly settings: Settings
  /** The names of all settings in the console. */
  readonly names: readonly string[]
  /** Entries of providers and models as entered, with those secrets that could be decrypted. */
  readonly entries: ReadonlyMap<string, RawEntry>
  /** Problems of unusable entries and their solutions, by the key of the entry. */
  readonly faults: ReadonlyMap<string, string>
}

/** The members of a provider's entry that are never stored or shown in plain text. Values of headers may be secret. */
const SECRET_NAMES = [
  "api_key",
  "api_keys",
  "credentials",
  "access_key_id",
  "secret_access_key",
  "session_token",
  "headers",
]

const SECRETS_LOST =
  "its secrets cannot be read, since the key file secrets/provider-key of the data folder is missing or was replaced. Restore that file from a backup and restart, or give the secrets again"

/** Returns the key of an entry among all entries. The encryption of the entry's secrets also authenticates this key. */
export function placeOf(section: ConsoleSection, id: string): string {
  return `${section}/${id}`
}

/** Splits an entry into public and secret members. */
export function splitSecrets(entry: RawEntry): {
  readonly open: RawEntry
  readonly secret: RawEntry
} {
  const members = Object.entries(entry)
  return {
    open: Object.fromEntries(members.filter(([name]) => !SECRET_NAMES.includes(name))),
    secret: Object.fromEntries(members.filter(([name]) => SECRET_NAMES.includes(name))),
  }
}

/**
 * Returns the names of an entry's secrets, including secrets in lists: `api_key`, `api_keys.backup`, `headers.x-team`.
 */
export function secretNames(entry: RawEntry): string[] {
  return Object.entries(splitSecrets(entry).secret).flatMap(([name, value]) => {
    if (name === "headers") return Object.keys(asObject(value) ?? {}).map((one) => `${name}.${one}`)
    if (name === "api_keys" && Array.isArray(value)) {
      return value.map((one, index) => `${name}.${asObject(one)?.["name"] ?? defaultName(index)}`)
    }
    return [name]
  })
}

/**
 * Encrypts the secrets of an entry for storage.
 * @throws Error if the encryption key file is damaged.
 */
export function encryptEntry(
  section: ConsoleSection,
  id: string,
  entry: unknown,
  cipher: SecretCipher,
): Pick<ConsoleRecord, "body" | "encrypted"> {
  if (section === "setting" && isSecretSetting(id)) {
    const encrypted = cipher.encrypt(placeOf(section, id), JSON.stringify(entry))
    return { body: JSON.stringify(null), encrypted }
  }
  if (section !== "provider") return { body: JSON.stringify(entry), encrypted: null }
  const { open, secret } = splitSecrets(asObject(entry) ?? {})
  const hasSecrets = Object.keys(secret).length > 0
  return {
    body: JSON.stringify(open),
    encrypted: hasSecrets ? cipher.encrypt(placeOf(section, id), JSON.stringify(secret)) : null,
  }
}

/** The context for parsing the console's entries. */
export interface ConsoleSources {
  readonly vendors: readonly KnownVendor[]
  readonly cipher: SecretCipher
  /** Entries that were parsed earlier, by key, because checking hundreds of entries is slow. */
  readonly known?: Map<string, KnownRecord>
}

/** A record that was valid. */
export interface KnownRecord {
  readonly body: string
  readonly encrypted: string | null
  readonly value: unknown
  /** The entry as part of a settings file. */
  readonly file: FileSettings
}

/** Parses the console's entries. An unusable entry does not affect the others. */
export function readConsole(
  records: readonly ConsoleRecord[],
  { vendors, cipher, known = new Map() }: ConsoleSources,
): ConsoleReading {
  const opened = records.map((record) => decryptRecord(record, cipher, known))
  // Entries may name providers that have been removed. Such entries stay valid, and the catalog warns about them.
  const providers = opened.flatMap(({ id, value }) => namedProviders(id, value))
  let reader: ReturnType<typeof readerFor> | undefined
  const entries = new Map<string, RawEntry>()
  const faults = new Map<string, string>()
  const names: string[] = []
  const files: FileSettings[] = []
  for (const { section, id, body, encrypted, value, ...found } of opened) {
    const place = placeOf(section, id)
    const members = asObject(value)
    if (members !== undefined) entries.set(place, members)
    let { file, fault } = found
    if (file === undefined && fault === undefined) {
      reader ??= readerFor(vendors, providers)
      const entry = { section, id, value }
      const [finding] = entryFindings(entry, { vendors, providers, reader })
      if (finding) fault = `${finding.path.join(".")} ${finding.message}`.trim()
      else {
        const read = reader.read(asFile(entry))
        if (!(read instanceof Faults)) file = read
      }
    }
    if (file === undefined) {
      faults.set(place, fault ?? "it is not used")
      continue
    }
    known.set(place, { body, encrypted, value, file })
    if (section === "setting") names.push(id)
    files.push(file)
  }
  const settings = buildSettings({
    file: mergeFiles(files),
    fileDirectory: "/",
    overrides: {},
    environmentProviders: {},
    origin: "console",
  })
  return { settings, names, entries, faults }
}

/**
 * Merges the active settings. The file and the environment override the console, entry by entry and setting by setting.
 */
export function mergeConsole(base: BaseSettings, reading: ConsoleReading): Settings {
  const { settings, written } = base
  const own = reading.settings
  const taken = CHANGEABLE_SETTINGS.filter(
    ({ name }) => reading.names.includes(name) && !written.includes(name),
  )
  const merged: Settings = {
    ...settings,
    providers: named([...Object.entries(own.providers), ...Object.entries(settings.providers)]),
    models: named([...Object.entries(own.models), ...Object.entries(settings.models)]),
    ...((own.priceGroups ?? settings.priceGroups) && {
      priceGroups: named([
        ...Object.entries(own.priceGroups ?? {}),
        ...Object.entries(settings.priceGroups ?? {}),
      ]),
    }),
  }
  return taken.reduce((all, setting) => setting.take(all, own), merged)
}

/** Decrypts a record. Unchanged records keep their earlier result. */
function decryptRecord(
  record: ConsoleRecord,
  cipher: SecretCipher,
  known: ReadonlyMap<string, KnownRecord>,
): ConsoleRecord & {
  readonly value?: unknown
  readonly file?: FileSettings
  readonly fault?: string
} {
  const { section, id, body, encrypted } = record
  const before = known.get(placeOf(section, id))
  if (before?.body === body && before.encrypted === encrypted) {
    return { ...record, value: before.value, file: before.file }
  }
  const value = parsed(body)
  if (value === undefined) return { ...record, fault: "it is damaged. Remove it and set it again" }
  if (encrypted === null) return { ...record, value }
  const secret = parsed(cipher.decrypt(placeOf(section, id), encrypted))
  if (secret === undefined) return { ...record, value, fault: SECRETS_LOST }
  const members = asObject(secret)
  return { ...record, value: members === undefined ? secret : { ...asObject(value), ...members } }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Merges files that contain one entry each. */
function mergeFiles(files: readonly FileSettings[]): FileSettings {
  const whole: Record<string, unknown> = {}
  for (const file of files) {
    for (const [name, value] of Object.entries(file)) {
      const members = asObject(value)
      whole[name] = members ? Object.assign(asObject(whole[name]) ?? {}, members) : value
    }
  }
  // Each value is an object, and no two files contain the same entry.
  return whole
}
