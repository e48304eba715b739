import { SecretFolder } from "../../src/secrets/secret-folder.ts"
import { openConsoleFile } from "../../src/store/sqlite/console-file.ts"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ClientInfo } from "../../src/users/client-info.ts"
import { cookiesAfter } from "./cookies-after.ts"
import { Users } from "../../src/users/users.ts"

export const ADA = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }

/** The users of a temporary folder. */
export interface TestUsers extends Disposable {
  readonly users: Users
  readonly data: string
  /** The messages that the operator received. */
  readonly heard: string[]
  /** Email addresses that are invited and may sign in through an issuer. */
  readonly invited: Set<string>
  /** Opens the same file again, as another process would. */
  another(): Users
}

export function openUsers(): TestUsers {
  const data = mkdtempSync(join(tmpdir(), "tollgate-users-"))
  const heard: string[] = []
  const invited = new Set<string>()
  const opened: Users[] = []
  const open = (): Users => {
    const users = new Users({
      store: openConsoleFile(data),
      secrets: new SecretFolder(data),
      isInvited: async (email) => invited.has(email),
      onFailure: (message) => heard.push(message),
    })
    opened.push(users)
    return users
  }
  return {
    users: open(),
    data,
    heard,
    invited,
    another: open,
    [Symbol.dispose]() {
      for (const users of opened) users[Symbol.dispose]()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** A browser that stores its cookies. */
export class Browser implements ClientInfo {
  cookie: string | null = null
  linkToken: string | null = null
  readonly agent = "Test/1.0"
  readonly address: string

  constructor(address = "192.0.2.1") {
    this.address = address
  }

  keep(cookies: readonly string[]): void {
    this.cookie = cookiesAfter(this.cookie, cookies)
  }

  take(reply: { readonly cookies: readonly string[] }): void {
    this.keep(reply.cookies)
  }
}

/** Signs in with a password, and stores the cookies in the browser. */
export async function signIn(
  users: Users,
  browser: Browser,
  { email, password }: { email: string; password: string } = ADA,
): Promise<{ needsCode: boolean }> {
  const response = await users.signIn.withPassword(browser, { email, password, remember: true })
  browser.take(response)
  return { needsCode: response.session === null }
}
