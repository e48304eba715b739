import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkNewerModels } from "../../src/cli/doctor-checks.ts"
import { loadSettings } from "../../src/config/load.ts"
import { BUILT_IN } from "../../src/management/prices/stored-lists.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { failuresFile } from "../../src/store/sqlite/log-file.ts"
import { vendors } from "../../src/vendors/index.ts"

test("doctor lists requested models that are newer than the price list", async () => {
  const data = mkdtempSync(join(tmpdir(), "tollgate-newer-"))
  try {
    const environment = { MISTRAL_API_KEY: "k", TOLLGATE_DATA: data }
    const options = { vendors: [...vendors.values()], environment }
    const settings = { ...loadSettings(options).settings, data }
    expect(await checkNewerModels(settings, BUILT_IN)).toBeUndefined()

    const database = databaseOf(settings)
    await using store = await database.openStore()
    expect(await store.accounts.any()).toBe(false)
    expect(await checkNewerModels(settings, BUILT_IN)).toBeUndefined()

    const failed = (request: string, model: string | null, kind = "model_not_found") => ({
      request,
      model,
      kind,
      at: Date.now(),
      endpoint: "/v1/chat/completions",
      status: 404,
      parameter: "model",
      message: "none",
      account: null,
      key: null,
    })
    using failures = failuresFile(database.place)
    failures.methods.add(
      [
        failed("1", "mistral-large-9"),
        failed("2", "mistral/mistral-large-9"),
        failed("3", "mistral-large-9", "rate_limited"),
        failed("4", "nothing"),
        failed("5", null),
      ],
      [],
    )
    expect(await checkNewerModels(settings, BUILT_IN)).toEqual({
      name: "newer models",
      result: "warning",
      found:
        "callers requested models newer than the price list: mistral/mistral-large-9 (2 requests)",
      fix: expect.stringContaining("set unknown_models: family"),
    })
    for (const rule of ["family", "reject"]) {
      const decided = loadSettings({ ...options, text: `unknown_models: ${rule}` }).settings
      expect(await checkNewerModels({ ...decided, data }, BUILT_IN)).toBeUndefined()
    }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
})
