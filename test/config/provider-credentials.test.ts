import { describe, expect, test } from "bun:test"
import {
  readConsole,
  encryptEntry,
  secretNames,
  splitSecrets,
} from "../../src/config/console-settings.ts"
import { describeSettings } from "../../src/config/describe.ts"
import { entryFindings } from "../../src/config/console-entry.ts"
import { SecretCipher } from "../../src/config/secret-cipher.ts"
import { secretsOf } from "../../src/config/secret-values.ts"
import { ACCOUNT, KEY_FILE, load, problems, VENDORS } from "./harness.ts"

const inFile = (entry: string, environment = {}) =>
  load(`providers: { a: { ${entry} } }`, environment).settings.providers.a

/** Returns the faults of a provider entry without their positions. */
const faultsOf = (entry: string) =>
  problems(`providers: { a: { ${entry} } }`).map((line) => line.replace(/^\d+:\d+ providers\./, ""))

describe("several credentials of a provider", () => {
  test("can be API keys, with or without a name and a weight, even from the environment", () => {
    const entry = inFile(
      'vendor: openai, api_keys: ["${FIRST}", { name: backup, api_key: "${SECOND}", weight: 0 }]',
      { FIRST: "k1", SECOND: "k2" },
    )
    expect(entry?.apiKeys).toEqual([
      { name: "1", weight: 1, apiKey: "k1" },
      { name: "backup", weight: 0, apiKey: "k2" },
    ])
    expect(entry?.apiKey).toBeUndefined()
  })

  test("can have the credential form that the vendor requires", () => {
    const pair = "access_key_id: AK, secret_access_key: SK"
    expect(
      inFile(`vendor: bedrock, region: r, api_keys: [{ ${pair} }, { name: b, api_key: k }]`)
        ?.apiKeys,
    ).toMatchObject([
      { accessKeyId: "AK", secretAccessKey: "SK" },
      { name: "b", apiKey: "k" },
    ])
    const account = JSON.stringify(KEY_FILE)
    expect(
      inFile(`vendor: vertex, api_keys: [{ credentials: '${account}', project: other }]`)?.apiKeys,
    ).toEqual([{ name: "1", weight: 1, credentials: ACCOUNT, project: "other" }])
  })

  const bad: readonly [string, string][] = [
    ["api_keys: []", "a.api_keys: is empty. Give it an entry, or remove it"],
    [
      `api_keys: [${Array.from({ length: 101 }, (_, index) => `k${index}`).join()}]`,
      "a.api_keys: has more than 100 entries. Make another provider of the rest",
    ],
    ["api_keys: k", "a.api_keys: must hold a list, not this"],
    ["api_keys: ['']", "a.api_keys[0]: is empty. Give it a value, or remove the line"],
    ["api_keys: [{ name: x }]", "a.api_keys[0]: holds no credential: give it an api_key"],
    ["api_keys: [k, k]", "a.api_keys[1]: is the same credential as another entry"],
    ["api_keys: [k, { api_key: ' k ' }]", "a.api_keys[1]: is the same credential as another entry"],
    [
      "api_keys: [{ name: x, api_key: k }, { name: x, api_key: l }]",
      "a.api_keys[1]: has the same name as another entry",
    ],
    [
      "api_keys: [k, { name: '1', api_key: l }]",
      "a.api_keys[1]: has the same name as another entry",
    ],
    [
      "api_keys: [{ name: 'a#b', api_key: k }]",
      "a.api_keys[0].name: must be letters, digits, hyphens and underscores, at most 40, such as backup",
    ],
    [
      "api_keys: [{ api_key: k, weight: -1 }]",
      "a.api_keys[0].weight: must be a number from 0 to 1000000",
    ],
    [
      "api_keys: [{ api_key: k, weight: 0 }]",
      "a.api_keys: need at least one with a weight above 0",
    ],
    [
      "api_keys: [k], api_key: l",
      "a.api_key: cannot be combined with api_keys. Put it into the list, or remove the list",
    ],
    [
      "api_keys: [{ api_key: k, region: r }]",
      "a.api_keys[0]: unknown name 'region'. Known here: name, weight, api_key, project, credentials, access_key_id, secret_access_key, session_token",
    ],
  ]
  test.each(bad)("cause an error if one of them is invalid: %s", (entry, fault) => {
    expect(faultsOf(`vendor: openai, ${entry}`)).toContain(fault)
  })

  test("must be complete and of the kind that the vendor requires", () => {
    expect(faultsOf("vendor: bedrock, region: r, api_keys: [{ access_key_id: k }]")).toEqual([
      "a.api_keys[0]: needs secret_access_key",
    ])
    expect(faultsOf("vendor: bedrock, api_keys: [k]")).toEqual(["a.api_keys[0]: needs region"])
    expect(faultsOf("vendor: openai, api_keys: [{ access_key_id: k }]")).toEqual([
      "a.api_keys[0].access_key_id: is not a setting of vendor 'openai', which accepts vendor, api_keys, base_url, headers, known_models, dialects, extra_fields, api_key",
    ])
    const { project_id: _, ...nameless } = KEY_FILE
    expect(
      faultsOf(`vendor: vertex, api_keys: [{ credentials: '${JSON.stringify(nameless)}' }]`),
    ).toEqual(["a.api_keys[0]: needs a project, because its credentials name no project"])
  })

  test("count as secrets and never appear in descriptions", () => {
    const { settings } = load(
      "providers: { a: { vendor: openai, api_keys: [canary-one, { name: b, api_key: canary-two }] } }",
    )
    expect(secretsOf(settings)).toEqual(["canary-one", "canary-two"])
    const described = describeSettings(settings)
    expect(JSON.stringify(described)).not.toContain("canary")
    expect(described.providers.a?.apiKeys).toEqual([
      { name: "1", weight: 1 },
      { name: "b", weight: 1 },
    ])
  })
})

describe("credentials entered in the console", () => {
  const value = { vendor: "openai", api_keys: ["canary-one", { name: "b", api_key: "canary-two" }] }

  test("have all values encrypted, and decryption restores the values", () => {
    const cipher = new SecretCipher({
      read: () => "00".repeat(32),
      readOrCreate: () => "00".repeat(32),
    })
    const record = { section: "provider", id: "p", ...encryptEntry("provider", "p", value, cipher) }
    expect(record.body).not.toContain("canary")
    const { settings, faults } = readConsole([{ ...record, section: "provider" }], {
      vendors: VENDORS,
      cipher,
    })
    expect(faults).toEqual(new Map())
    expect(settings.providers.p?.apiKeys).toMatchObject([
      { name: "1", apiKey: "canary-one" },
      { name: "b", apiKey: "canary-two" },
    ])
  })

  test("appear in descriptions only by their names", () => {
    expect(splitSecrets(value).open).toEqual({ vendor: "openai" })
    expect(secretNames(value)).toEqual(["api_keys.1", "api_keys.b"])
  })

  test("cannot reference files of the machine", () => {
    const entry = { vendor: "vertex", api_keys: [{ credentials: "/etc/passwd", project: "p" }] }
    expect(
      entryFindings(
        { section: "provider", id: "p", value: entry },
        { vendors: VENDORS, providers: [] },
      ),
    ).toMatchObject([{ path: ["api_keys", 0, "credentials"] }])
  })
})
