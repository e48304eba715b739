import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { BILLABLE_PAGE, billablePage } from "../../scripts/billable-page.ts"
import { CLI_PAGE, cliPage } from "../../scripts/cli-page.ts"
import { ERRORS_PAGE, errorsPage } from "../../scripts/errors-table.ts"
import { ENDPOINTS_PAGE, endpointsPage } from "../../scripts/endpoints-page.ts"
import { plainPath } from "tollgate-contract/route-name.ts"
import { SERVICE_ROUTES } from "tollgate-contract/service-routes.ts"
import { OPENAPI_FILE, openApiFile } from "../../scripts/openapi-file.ts"
import { LOSSES_PAGE, lossesPage } from "../../scripts/losses-page.ts"
import { MODELS_PAGE, modelsPage } from "../../scripts/models-page.ts"
import { SETTINGS_PAGE, settingsPage } from "../../scripts/settings-page.ts"
import { SETTINGS_SCHEMA, settingsSchema } from "../../scripts/settings-schema.ts"

test("docs/reference/losses.md matches the code (npm run pages writes it)", () => {
  expect(readFileSync(LOSSES_PAGE, "utf8")).toBe(lossesPage())
})

test("docs/reference/vendors.md matches the code (npm run pages writes it)", () => {
  expect(readFileSync(ENDPOINTS_PAGE, "utf8")).toBe(endpointsPage())
})

test("docs/reference/priced-features.md matches the code (npm run pages writes it)", () => {
  expect(readFileSync(BILLABLE_PAGE, "utf8")).toBe(billablePage())
})

test("docs/reference/model-rules.md matches the code (npm run pages writes it)", () => {
  expect(readFileSync(MODELS_PAGE, "utf8")).toBe(modelsPage())
})

test("the errors in docs/use/errors.md match the code (npm run pages writes them)", () => {
  expect(readFileSync(ERRORS_PAGE, "utf8")).toBe(errorsPage())
})

test("the tables in docs/reference/settings.md match the declarations (npm run pages writes them)", () => {
  expect(readFileSync(SETTINGS_PAGE, "utf8")).toBe(settingsPage())
})

test("tollgate.schema.json matches the declarations (npm run pages writes it)", () => {
  expect(readFileSync(SETTINGS_SCHEMA, "utf8")).toBe(settingsSchema())
})

test("openapi.json matches the routes (npm run pages writes it)", () => {
  expect(readFileSync(OPENAPI_FILE, "utf8")).toBe(openApiFile())
})

test("docs/reference/cli.md matches the commands (npm run pages writes it)", async () => {
  expect(readFileSync(CLI_PAGE, "utf8")).toBe(await cliPage())
})

test("docs/use/endpoints.md has every endpoint for callers", () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/use/endpoints.md"), "utf8")
  const endpoints = Object.keys(SERVICE_ROUTES).map(plainPath)
  expect(endpoints.filter((endpoint) => !page.includes(`\`${endpoint}\``))).toEqual([])
})
