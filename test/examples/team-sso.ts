import { join } from "node:path"
import { runCommandIn } from "../support/process.ts"
import { startIssuer } from "../users/fake-issuer.ts"
import { EXAMPLES_FOLDER, startExample } from "./gateway.ts"
import { expectParts, run } from "./run.ts"

const ENTRA = "https://login.microsoftonline.com/${ENTRA_TENANT}/v2.0"

/** Invites a person with `invite.sh`. The person signs in at a test issuer, which replaces Entra ID. */
export async function runTeamSso(work: string): Promise<void> {
  await using issuer = await startIssuer()
  await using gateway = await startExample(
    "team-sso",
    (text) => {
      expectParts(text, [ENTRA])
      return text.replace(ENTRA, issuer.url)
    },
    {
      ENTRA_CLIENT_ID: issuer.settings.clientId,
      ENTRA_CLIENT_SECRET: issuer.settings.clientSecret?.toString() ?? "",
    },
  )
  const { url, installation, variables } = gateway
  const words = ["--json", "account", "create", "engineering", "--template", "team"]
  const { stdout } = await runCommandIn(variables, installation, ...words)
  const { id } = JSON.parse(stdout) as { id: string }
  const script = join(EXAMPLES_FOLDER, "team-sso/invite.sh")
  const environment = { ...variables, TOLLGATE_URL: url }
  const invited = await run([script, id, issuer.person.email], work, environment)
  const { link } = JSON.parse(invited) as { link: string }
  const session = await accept(url, issuer, link)
  expectParts(session, [issuer.person.email, "engineering"])
}

/** Signs in and accepts an invitation, as a browser does. @returns the session as JSON. */
async function accept(
  url: string,
  issuer: { authorize(address: string): string },
  link: string,
): Promise<string> {
  const cookies = new Map<string, string>()
  const visit = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const own = { origin: url, "x-tollgate-console": "1", "content-type": "application/json" }
    const headers = { ...own, cookie }
    const response = await fetch(address, { redirect: "manual", ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response
  }
  const options = await (await visit(`${url}/admin/v1/sign-in`)).text()
  expectParts(options, ["Microsoft", "Google"])
  const body = JSON.stringify({ provider: "entra", return_to: "/console/" })
  const start = await visit(`${url}/admin/v1/auth/sign-in/oidc`, { method: "POST", body })
  const answered = await start.text()
  expectParts(answered, ['"url"'])
  const { url: address } = JSON.parse(answered) as { url: string }
  expectParts(decodeURIComponent(address), [`${url}/admin/v1/auth/callback/entra`])
  await visit(issuer.authorize(address))
  const token = new URL(link).searchParams.get("token") ?? ""
  await visit(`${url}/admin/v1/invitations/${token}/accept`, { method: "POST", body: "{}" })
  return await (await visit(`${url}/admin/v1/session`)).text()
}
