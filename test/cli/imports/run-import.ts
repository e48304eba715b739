import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "bun:test"
import { checkProviders } from "../../../src/cli/doctor-providers.ts"
import { applyImport, settingsFiles, settingsText } from "../../../src/cli/import/apply.ts"
import { type ImportPlan, writableAccounts } from "../../../src/cli/import/plan.ts"
import { checkSettings, withoutMissingModels } from "../../../src/cli/import/settings-check.ts"
import { type Member, placeholder } from "../../../src/cli/import/variables.ts"
import { listedModels } from "../../../src/cli/listed-models.ts"
import { loadSettings } from "../../../src/config/load.ts"
import type { ProviderSettings, Settings } from "../../../src/config/settings.ts"
import { KeyHasher } from "../../../src/keys/secret.ts"
import { Audit } from "../../../src/management/audit.ts"
import { SecretFolder } from "../../../src/secrets/secret-folder.ts"
import { vendors } from "../../../src/vendors/index.ts"
import { startGateway } from "../../support/gateway.ts"
import { googleAccount } from "../../support/google-account.ts"
import { startFakeProvider } from "./fake-provider.ts"
import { variablesIn } from "./written.ts"

/** A configuration of another gateway, and the expected result. */
export interface ImportCase<Source = string> {
  readonly name: string
  readonly source: Source
  /**
   * A line for each provider: its vendor, its address unless it is the vendor's default, and its credentials. Secrets
   * in the source are written unchanged. `$NAME` is a variable that the operator sets.
   */
  readonly providers: readonly string[]
  /** The expected provider model for each name that callers use. A number is the status of an expected rejection. */
  readonly calls: Readonly<Record<string, string | number>>
  /** Texts that the page must contain, which name the settings that have no equivalent. */
  readonly says?: readonly string[]
}

const OPTIONS = { vendors: [...vendors.values()], modelsOf: listedModels }

/** Imports a configuration, starts a gateway with the written files, and calls every model of the case. */
export async function runImport<Source>(
  { providers, calls, says = [] }: ImportCase<Source>,
  planIn: (folder: string) => Promise<ImportPlan>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-import-"))
  try {
    const out = join(folder, "imported.yaml")
    const plan = withoutMissingModels(await planIn(folder), {
      ...OPTIONS,
      environment: {},
      file: out,
    })
    const text = settingsText(plan)
    expect(checkSettings(plan, text, { ...OPTIONS, environment: {}, file: out })).toEqual([])
    const accounts = writableAccounts(plan.accounts, plan.differences)
    const page = plan.differences.list
      .map(({ subject, words }) => `${subject}: ${words}`)
      .join("\n")
    for (const said of says) expect(page).toContain(said)

    await using provider = startFakeProvider()
    for (const { path, text: content } of settingsFiles(plan, out, text))
      writeFileSync(path, content)
    const set = [...plan.variables.references].map(
      ([name, member]) => [name, valueOf(name, member)] as const,
    )
    const environment = { ...Object.fromEntries(set), ...variablesIn(out) }
    const { settings } = loadSettings({ ...OPTIONS, environment, file: out })
    const names = new Map(set.map(([name, value]) => [value, `$${name}`]))
    expect(linesOf(settings, names)).toEqual([...providers])
    for (const secret of Object.values(variablesIn(out)))
      if (secret.length > 9) expect(page + text).not.toContain(secret)

    const local = { ...settings, providers: localProviders(settings, provider.url) }
    const { checks } = await checkProviders(local)
    expect(checks.filter(({ result }) => result === "failed")).toEqual([])
    await using gateway = await startGateway({ settings: servedParts(local) })
    await applyImport(accounts, [], out, {
      ...gateway,
      audit: new Audit(gateway.store),
      hasher: new KeyHasher(new SecretFolder(gateway.settings.data).readOrCreate("key-pepper")),
      loaded: { settings: gateway.settings },
    })
    const found: Record<string, string | number> = {}
    const caller = await gateway.caller("1000")
    for (const model of Object.keys(calls)) {
      provider.received.length = 0
      const response = await caller.post("/v1/chat/completions", {
        model,
        messages: [{ role: "user", content: "hello" }],
        max_tokens: 10,
      })
      await response.body?.cancel()
      found[model] = response.ok ? (provider.received[0]?.model ?? "") : response.status
    }
    expect(found).toEqual({ ...calls })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the operator's value for a variable. Each variable has a different value. */
function valueOf(name: string, member: Member): string {
  const host = name.toLowerCase().replaceAll("_", "-")
  return member === "base_url" ? `https://${host}.invalid` : placeholder(member, name)
}

/** Returns the settings that the import has written. */
function servedParts({ providers, models, aliases }: Settings): Partial<Settings> {
  return { providers, models, ...(aliases && { aliases }) }
}

/** Returns the providers with the address of the fake server, which also issues tokens to service accounts. */
function localProviders({ providers }: Settings, url: string): Settings["providers"] {
  const account = { credentials: googleAccount(`${url}/token`) }
  const local = <Part extends Partial<ProviderSettings>>({ identity, ...part }: Part) => ({
    ...part,
    ...((part.credentials ?? (identity && part.vendor === "vertex")) && account),
    ...(identity && part.vendor === "bedrock" && { apiKey: "local" }),
  })
  return Object.fromEntries(
    Object.entries(providers).map(([id, { apiKeys, ...provider }]) => [
      id,
      { ...local(provider), baseUrl: url, ...(apiKeys && { apiKeys: apiKeys.map(local) }) },
    ]),
  )
}

function linesOf({ providers }: Settings, names: ReadonlyMap<string, string>): string[] {
  const named = (value: string | undefined) =>
    value === undefined ? [] : [names.get(value) ?? value]
  return Object.entries(providers).map(([id, provider]) => {
    const { vendor, baseUrl, region, location, identity, apiKeys = [] } = provider
    const title = id === vendor ? id : `${id} (${vendor})`
    const keys = [provider, ...apiKeys].flatMap((credential) => credentialsIn(credential, named))
    const places = [baseUrl, region, location, identity].flatMap(named)
    return [title, ...places, ...keys].join(" ")
  })
}

function credentialsIn(
  { apiKey, accessKeyId, secretAccessKey, credentials }: Partial<ProviderSettings>,
  named: (value: string | undefined) => readonly string[],
): readonly string[] {
  return [
    ...named(apiKey),
    ...named(accessKeyId),
    ...named(secretAccessKey),
    ...named(credentials && "clientEmail" in credentials ? credentials.clientEmail : undefined),
  ]
}
