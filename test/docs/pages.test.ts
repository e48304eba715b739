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

test("docs/losses.md matches the code (npm run pages writes it)", () => {
  expect(readFileSync(LOSSES_PAGE, "utf8")).toBe(lossesPage())
})

test("docs/endpoints.md matches the vendors' tables (npm run pages writes it)", () => {
  expect(readFileSync(ENDPOINTS_PAGE, "utf8")).toBe(endpointsPage())
})

test("docs/billable.md matches the code (npm run pages writes it)", () => {
  expect(readFileSync(BILLABLE_PAGE, "utf8")).toBe(billablePage())
})

test("docs/models.md matches the code (npm run pages writes it)", () => {
  expect(readFileSync(MODELS_PAGE, "utf8")).toBe(modelsPage())
})

test("the errors in docs/api.md match the code (npm run pages writes them)", () => {
  expect(readFileSync(API_PAGE, "utf8")).toBe(apiPage())
})

test("the tables in docs/reference/settings.md match the declarations (npm run pages writes them)", () => {
  expect(readFileSync(SETTINGS_PAGE, "utf8")).toBe(settingsPage())
})

test("tollgate.schema.json matches the declarations (npm run pages writes it)", () => {
  expect(readFileSync(SETTINGS_SCHEMA, "utf8")).toBe(settingsSchema())
})

test("docs/api.md has every public endpoint", () => {
  const page = readFileSync(API_PAGE, "utf8")
  const endpoints = Object.keys(SERVICE_ROUTES).map(plainPath)
  expect(endpoints.filter((endpoint) => !page.includes(`\`${endpoint}\``))).toEqual([])
})
