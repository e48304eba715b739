import { beforeAll, expect, test } from "bun:test"
import type { Browser } from "playwright-core"
import { runJson } from "../support/process.ts"
import { BASE, PROXIES, startBehind } from "./base-path-gateway.ts"
import { sharedBrowser } from "./browser.ts"
import { buildConsole, open, openVisitor, OPERATOR, setUpByLink } from "./console-gateway.ts"

let browser: Browser

beforeAll(async () => {
  buildConsole()
  browser = await sharedBrowser()
})

test.each(PROXIES)(
  "the console works behind a proxy that %s, from the setup to the sign-in through an issuer",
  async (_, stripsPath) => {
    await using behind = await startBehind(stripsPath)
    const { proxy, issuer, output } = behind
    const link = /console: (\S+)/.exec(output)?.[1] ?? ""
    expect(link).toStartWith(`${proxy.url}/console/setup?token=`)
    await using operator = await openVisitor(browser, proxy.url)
    const { page, context } = operator
    await setUpByLink(operator, link)
    const cookies = await context.cookies(`${proxy.url}/`)
    expect(cookies.map(({ path }) => path)).toEqual(cookies.map(() => `${BASE}/`))
    expect(cookies.length).toBeGreaterThan(0)
    await open(operator, "Models")
    expect(page.url()).toStartWith(`${proxy.url}/console/models`)
    await page.reload()
    await page.getByRole("heading", { level: 1, name: "Models" }).waitFor()
    await open(operator, "Keys")
    await page.getByRole("button", { name: "Create a key" }).first().click()
    await page.getByLabel("Name").fill("laptop")
    await page.getByRole("button", { name: "Create the key" }).click()
    await page.getByRole("button", { name: "I have copied it" }).click()
    // Without the proxy, the gateway serves the console below the same path.
    await using inside = await openVisitor(browser, behind.own)
    await inside.page.goto(`${behind.own}/console/sign-in`)
    await inside.page.waitForURL(`${behind.own}${BASE}/console/sign-in`)
    await inside.page.getByRole("heading", { name: "Sign in" }).waitFor()
    issuer.people.set("olive", { email: OPERATOR.email, isVerified: true, name: OPERATOR.name })
    await using visitor = await openVisitor(browser, proxy.url)
    await visitor.page.goto(`${proxy.url}/console/keys`)
    await visitor.page.getByRole("button", { name: "Sign in with Our company" }).click()
    await visitor.page.getByPlaceholder("Enter any login").fill("olive")
    await visitor.page.getByPlaceholder("and password").fill("any password")
    await visitor.page.getByRole("button", { name: "Sign-in" }).click()
    await visitor.page.getByRole("button", { name: "Continue" }).click()
    await visitor.page.waitForURL((url) => url.pathname === `${BASE}/console/keys`)
    await visitor.page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
    expect([...operator.complaints, ...visitor.complaints, ...inside.complaints]).toEqual([])
    expect(proxy.escaped).toEqual([])
    const { link: reset } = await runJson<{ link: string }>(
      behind.installation,
      "user",
      "reset",
      OPERATOR.email,
    )
    expect(reset).toStartWith(`${proxy.url}/console/reset?token=`)
  },
)
