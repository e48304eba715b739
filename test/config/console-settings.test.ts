import { SecretFolder } from "../../src/secrets/secret-folder.ts"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CHANGEABLE_SETTINGS } from "../../src/config/changeable-settings.ts"
import { entryFindings } from "../../src/config/console-entry.ts"
import {
  type ConsoleRecord,
  type KnownRecord,
  mergeConsole,
  readConsole,
  encryptEntry,
} from "../../src/config/console-settings.ts"
import { SecretCipher } from "../../src/config/secret-cipher.ts"
import { secretsOf } from "../../src/config/secret-values.ts"
import { ACCOUNT, EXTERNAL_FILE, KEY_FILE, load, VENDORS } from "./harness.ts"

let folder: string
let cipher: SecretCipher

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-console-"))
  cipher = new SecretCipher(new SecretFolder(folder))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function record(section: ConsoleRecord["section"], id: string, entry: unknown): ConsoleRecord {
  return { section, id, ...encryptEntry(section, id, entry, cipher) }
}

function read(...records: ConsoleRecord[]) {
  return readConsole(records, { vendors: VENDORS, cipher })
}

describe("stored settings of the console", () => {
  test("have the same meaning as in the settings file", () => {
    const { settings, names, faults } = read(
      record("provider", "mine", {
        vendor: "vertex",
        credentials: JSON.stringify(KEY_FILE),
        headers: { "X-Team": "secret" },
      }),
      record("model", "mine/small", { price: { input: "0.10", output: 0.4 }, max_output: 100 }),
      record("setting", "timeouts.connect", "7s"),
      record("setting", "timeouts.total", "1h"),
      record("setting", "multiplier", "1.5"),
    )
    expect([...faults]).toEqual([])
    expect(names).toEqual(["timeouts.connect", "timeouts.total", "multiplier"])
    expect(settings.providers).toEqual({
      mine: {
        vendor: "vertex",
        credentials: ACCOUNT,
        headers: { "x-team": "secret" },
        knownModels: true,
        origin: "console",
      },
    })
    expect(settings.models).toEqual({
      "mine/small": { price: { input: "0.10", output: "0.4" }, maxOutput: 100 },
    })
    expect(settings).toMatchObject({
      multiplier: "1.5",
      timeouts: { connect: 7_000, total: 3_600_000, firstByte: 600_000 },
    })
  })

  test("have their secrets encrypted, and all other values in plain text", () => {
    const entry = {
      vendor: "openai",
      api_key: "hidden",
      headers: { a: "hidden" },
      base_url: "http://a",
    }
    const { body, encrypted } = encryptEntry("provider", "mine", entry, cipher)
    expect(JSON.parse(body)).toEqual({ vendor: "openai", base_url: "http://a" })
    expect(encrypted).not.toContain("hidden")
    expect(encryptEntry("provider", "mine", { vendor: "ollama" }, cipher).encrypted).toBeNull()
  })

  test("stay active if other stored settings are invalid", () => {
    const other = encryptEntry("provider", "other", { api_key: "k" }, cipher).encrypted
    const { settings, faults } = read(
      { section: "provider", id: "moved", body: '{"vendor":"openai"}', encrypted: other },
      { section: "provider", id: "broken", body: "{", encrypted: null },
      record("provider", "gone", { vendor: "no-longer" }),
      record("model", "good/dear", { price: { input: "many" } }),
      record("setting", "no.such", "x"),
      record("setting", "timeouts.total", "soon"),
      record("provider", "good", { vendor: "openai", api_key: "k" }),
    )
    expect(Object.keys(settings.providers)).toEqual(["good"])
    expect(Object.fromEntries(faults)).toEqual({
      "provider/moved": expect.stringContaining("secrets/provider-key"),
      "provider/broken": "it is damaged. Remove it and set it again",
      "provider/gone":
        "vendor is not a known vendor. Known here: openai, gemini, ollama, vllm, openai-compatible, bedrock, vertex",
      "model/good/dear": "price.input must be a decimal number such as 0.15",
      "setting/no.such": expect.stringContaining("unknown name 'no'"),
      "setting/timeouts.total": expect.stringContaining("must be a length of time"),
    })
  })

  test("keep the price of a model when a provider of its deployments is removed", () => {
    const entry = { price: { input: "1" }, deployments: [{ provider: "gone" }, { provider: "a" }] }
    const { settings, faults } = read(record("model", "gone/x", entry))
    expect(faults.size).toBe(0)
    expect(settings.models["gone/x"]?.price).toEqual({ input: "1" })
  })

  test("need validation again only if they or their secrets have changed", () => {
    const known = new Map<string, KnownRecord>()
    const first = record("provider", "mine", { vendor: "openai", api_key: "first" })
    const sources = { vendors: VENDORS, cipher, known }
    expect(readConsole([first], sources).settings.providers["mine"]?.apiKey).toBe("first")
    const lost = new SecretCipher(new SecretFolder(join(folder, "elsewhere")))
    const again = readConsole([first], { ...sources, cipher: lost })
    expect(again.settings.providers["mine"]?.apiKey).toBe("first")
    const second = record("provider", "mine", { vendor: "openai", api_key: "second" })
    expect(readConsole([second], sources).settings.providers["mine"]?.apiKey).toBe("second")
  })
})

describe("precedence of the file and the environment over the console", () => {
  test("applies to each entry and each setting separately", () => {
    const base = load(
      `multiplier: 3
timeouts: { connect: 1s }
providers: { mine: { vendor: openai, api_key: file } }
models: { mine/x: { price: { input: 1, output: 1 } } }`,
      { GEMINI_API_KEY: "environment" },
    )
    const merged = mergeConsole(
      base,
      read(
        record("provider", "mine", { vendor: "ollama" }),
        record("provider", "gemini", { vendor: "ollama" }),
        record("provider", "other", { vendor: "ollama" }),
        record("model", "mine/x", { multiplier: "9" }),
        record("model", "mine/y", { multiplier: "9" }),
        record("setting", "multiplier", "2"),
        record("setting", "timeouts.connect", "2s"),
        record("setting", "timeouts.total", "2h"),
      ),
    )
    expect(
      Object.entries(merged.providers)
        .map(([id, one]) => `${id} ${one.origin}`)
        .toSorted(),
    ).toEqual(["gemini environment", "mine file", "other console"])
    expect(merged.models["mine/x"]).toEqual({ price: { input: "1", output: "1" } })
    expect(merged.models["mine/y"]).toEqual({ multiplier: "9" })
    expect(merged.multiplier).toBe("3")
    expect(merged.timeouts).toMatchObject({ connect: 1_000, total: 7_200_000 })
    // Only names that the operator has set are found, and no inherited names.
    expect(merged.providers["constructor"]).toBeUndefined()
    expect(merged.models["constructor"]).toBeUndefined()
  })

  test("appears as a mark on each setting that the file locks", () => {
    const examples: Readonly<Record<string, string>> = {
      multiplier: "1.25",
      aliases: "gpt-4o=mine/talker, fast=mine/x",
      unknown_models: "family",
      "defaults.image_model": "mine/painter",
      "defaults.translation_model": "mine/talker",
      "server.public_url": "https://models.example.com",
      "timeouts.connect": "1500ms",
      "timeouts.first_byte": "90s",
      "timeouts.idle": "3m",
      "timeouts.total": "2h",
      "images.link_minutes": "90",
      "images.mask": "optional",
      "images.rules": "provider",
      "limits.body_mb": "8",
      "limits.response_mb": "16",
      "limits.memory_mb": "300",
      "limits.media_mb": "1.5",
      "responses.keep": "90m",
      "responses.account_mb": "64",
      "responses.total_mb": "1024",
    }
    const single = CHANGEABLE_SETTINGS.filter(
      ({ name }) => !/^(notices|stripe|console)\./.test(name),
    )
    expect(single.map(({ name }) => name)).toEqual(Object.keys(examples))
    const empty = load("")
    expect(empty.written).toEqual([])
    for (const { name, show, default: standard } of single) {
      const text = examples[name] ?? ""
      expect(show(empty.settings)).toBe(standard)
      const reading = read(record("setting", name, text))
      expect([...reading.faults]).toEqual([])
      const others = single.filter((one) => one.name !== name)
      const merged = mergeConsole(empty, reading)
      expect(show(merged)).toBe(text)
      for (const other of others) expect(other.show(merged)).toBe(other.default)
      const [outer = "", inner] = name.split(".")
      const file = load(
        inner === undefined ? `${outer}: ${text}` : `${outer}: { ${inner}: "${text}" }`,
      )
      expect(file.written).toEqual([name])
      expect(show(file.settings)).toBe(text)
    }
  })
})

describe("secret settings of the console", () => {
  const SMTP = "smtps://ada:hidden@mail.example.com"
  const FROM = "Tollgate <t@example.com>"

  test("stay encrypted in the store and are never shown", () => {
    const { body, encrypted } = encryptEntry("setting", "notices.smtp", SMTP, cipher)
    expect(body).toBe("null")
    expect(encrypted).not.toContain("hidden")
    const { settings, faults } = read(
      record("setting", "notices.smtp", SMTP),
      record("setting", "notices.from", FROM),
    )
    expect([...faults]).toEqual([])
    const merged = mergeConsole(load(""), { ...read(), settings, names: ["notices.smtp"] })
    expect(merged.notices).toEqual({ allowsPrivate: false, mail: { smtp: SMTP, from: FROM } })
    const shown = CHANGEABLE_SETTINGS.map(({ show }) => show(merged))
    expect(shown).not.toContain(SMTP)
    expect(secretsOf(merged)).toContain("hidden")
  })

  test("have no effect without the setting that must accompany them", () => {
    const reading = read(record("setting", "notices.smtp", SMTP))
    expect([...reading.faults]).toEqual([])
    expect(mergeConsole(load(""), reading).notices).toEqual({ allowsPrivate: false })
  })

  test("have lower precedence than the file", () => {
    const base = load("notices: { smtp: smtp://of-the-file.example.com, from: f@example.com }")
    const reading = read(
      record("setting", "notices.smtp", SMTP),
      record("setting", "notices.from", FROM),
    )
    expect(base.written).toEqual(["notices.smtp", "notices.from"])
    expect(mergeConsole(base, reading).notices.mail).toEqual({
      smtp: "smtp://of-the-file.example.com",
      from: "f@example.com",
    })
  })

  test("enable a section with its defaults if both are set, unless the file sets the section", () => {
    const reading = read(
      record("setting", "stripe.secret_key", "sk_test_1"),
      record("setting", "stripe.webhook_secret", "whsec_1"),
    )
    expect(mergeConsole(load(""), reading).stripe).toEqual({
      secretKey: "sk_test_1",
      webhookSecret: "whsec_1",
      currency: "usd",
    })
    const currency = read(record("setting", "stripe.currency", "eur"))
    expect(mergeConsole(load(""), currency).stripe).toBeUndefined()
    const file = load("stripe: { secret_key: sk_file, webhook_secret: whsec_file }")
    expect(file.written).toEqual(["stripe.secret_key", "stripe.webhook_secret", "stripe.currency"])
    expect(mergeConsole(file, currency).stripe).toMatchObject({
      secretKey: "sk_file",
      currency: "usd",
    })
  })

  test("cause an error that names the key file if the encryption key is lost", () => {
    const lost = new SecretCipher(new SecretFolder(join(folder, "nowhere")))
    const reading = readConsole([record("setting", "notices.smtp", SMTP)], {
      vendors: VENDORS,
      cipher: lost,
    })
    expect(reading.faults.get("setting/notices.smtp")).toContain("secrets/provider-key")
    expect(reading.settings.notices).toEqual({ allowsPrivate: false })
  })
})

test("settings of the console cannot use the machine's files or identity", () => {
  const findings = (settings: Readonly<Record<string, unknown>>) =>
    entryFindings(
      { section: "provider", id: "a", value: { vendor: "vertex", ...settings } },
      { vendors: VENDORS, providers: [] },
    ).map(({ path, message }) => `${path.join(".")} ${message}`)
  const onlyInFile = "can be set only in the settings file"
  expect(findings({ credentials: "/etc/hostname" })).toEqual([
    "credentials must be Google credentials as JSON, which begins with '{'",
  ])
  expect(findings({ credentials: '{"type":"user"}' })[0]).toStartWith(
    "credentials must be Google credentials whose 'type'",
  )
  const external = JSON.stringify(EXTERNAL_FILE)
  for (const credentials of [
    external,
    external.replace("external_account", "external\\u005faccount"),
  ]) {
    expect(findings({ credentials })).toEqual([`credentials of an external account ${onlyInFile}`])
  }
  expect(findings({ identity: "machine", project: "p" })).toEqual([`identity ${onlyInFile}`])
  expect(findings({ api_keys: [{ credentials: external }] })).toEqual([
    `api_keys.0.credentials of an external account ${onlyInFile}`,
  ])
  expect(findings({ credentials: JSON.stringify(KEY_FILE) })).toEqual([])
})
