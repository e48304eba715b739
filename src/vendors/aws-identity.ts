import { readFile } from "node:fs/promises"
import { z } from "zod"
import { GatewayError } from "../canon/errors.ts"
import { OperatorCause } from "../wire/operator-cause.ts"
import {
  type CredentialService,
  credentialText,
  parsedJson,
  requestCredential,
  requestMetadata,
  withoutCredential,
} from "./credential-request.ts"
import type { Temporary } from "./renewed-credential.ts"

/** A pair of keys that signs requests. */
export interface AwsKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The token of a temporary pair; absent for other pairs. */
  readonly sessionToken?: string
}

type Environment = Readonly<Record<string, string | undefined>>

const STS: CredentialService = {
  name: "AWS's security token service",
  errorCode: (text) => /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1],
}
const METADATA: CredentialService = { name: "The metadata service of this AWS machine" }

/** The address of the ECS credential endpoint. The agent sets its path for each task. */
const ECS_HOST = "http://169.254.170.2"
const INSTANCE_HOST = "http://169.254.169.254"
/**
 * Hosts from which a credential may be requested without TLS: this machine, ECS, and EKS Pod Identity over IPv4 and
 * IPv6.
 */
const PLAIN_HOSTS = new Set([
  "localhost",
  "127.0.0.1",
  "[::1]",
  "169.254.170.2",
  "169.254.170.23",
  "[fd00:ec2::23]",
])

const documentSchema = z.object({
  AccessKeyId: credentialText,
  SecretAccessKey: credentialText,
  Token: credentialText,
  Expiration: z.iso.datetime({ offset: true }),
})

/** Returns the address of an Amazon service. China's regions have a separate domain. */
export function awsAddress(service: string, region: string): string {
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
  return `https://${service}.${region}.${domain}`
}

/**
 * Returns a temporary key pair of the role of this machine, container or pod. The sources and their order are those of
 * Amazon's SDKs: a web identity token (EKS service accounts), a container endpoint (ECS tasks, EKS Pod Identity), and
 * the instance metadata service in version 2 (EC2).
 * @throws GatewayError `upstream_error`, `upstream_timeout`.
 */
export async function machineKey(
  region: string,
  environment: Environment = process.env,
): Promise<Temporary<AwsKey>> {
  const { AWS_ROLE_ARN: role, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile } = environment
  if (role && tokenFile) return webIdentityKey({ region, role, tokenFile, environment })
  const relative = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"]
  const address = relative
    ? ECS_HOST + relative
    : environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] || undefined
  if (address !== undefined) return containerKey(address, environment)
  if (environment["AWS_EC2_METADATA_DISABLED"]?.toLowerCase() === "true") {
    throw misconfigured("it has no role, and AWS_EC2_METADATA_DISABLED is set")
  }
  return instanceKey(environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || INSTANCE_HOST)
}

interface WebIdentity {
  readonly region: string
  readonly role: string
  readonly tokenFile: string
  readonly environment: Environment
}

async function webIdentityKey(identity: WebIdentity): Promise<Temporary<AwsKey>> {
  const { region, role, tokenFile, environment } = identity
  const body = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: role,
    RoleSessionName: environment["AWS_ROLE_SESSION_NAME"] || "tollgate",
    WebIdentityToken: await tokenIn(tokenFile),
  })
  const text = await requestCredential(
    STS,
    environment["AWS_ENDPOINT_URL_STS"] || awsAddress("sts", region),
    {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: body.toString(),
    },
  )
  const element = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1]?.trim()
  return keyFrom(STS, {
    AccessKeyId: element("AccessKeyId"),
    SecretAccessKey: element("SecretAccessKey"),
    Token: element("SessionToken"),
    Expiration: element("Expiration"),
  })
}

async function containerKey(address: string, environment: Environment): Promise<Temporary<AwsKey>> {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== "https:" && !PLAIN_HOSTS.has(url.hostname))) {
    throw misconfigured(
      "AWS_CONTAINER_CREDENTIALS_FULL_URI must be an https address or an address of this machine",
    )
  }
  const tokenFile = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]
  const token = tokenFile
    ? await tokenIn(tokenFile)
    : environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"]?.trim()
  if (token && !credentialText.safeParse(token).success) {
    throw misconfigured("the token of AWS_CONTAINER_AUTHORIZATION_TOKEN is not a valid header")
  }
  const headers = token ? { authorization: token } : {}
  const text =
    url.protocol === "https:"
      ? await requestCredential(METADATA, url.href, { method: "GET", headers })
      : await requestMetadata(METADATA, url.href, { headers })
  return keyFrom(METADATA, parsedJson(text))
}

async function instanceKey(endpoint: string): Promise<Temporary<AwsKey>> {
  const base = `${endpoint.replace(/\/$/, "")}/latest`
  const token = await requestMetadata(METADATA, `${base}/api/token`, {
    method: "PUT",
    headers: { "x-aws-ec2-metadata-token-ttl-seconds": "21600" },
  })
  if (!credentialText.safeParse(token.trim()).success) throw withoutCredential(METADATA)
  const headers = { "x-aws-ec2-metadata-token": token.trim() }
  const list = `${base}/meta-data/iam/security-credentials/`
  const [role = ""] = (await requestMetadata(METADATA, list, { headers })).trim().split(/\s+/, 1)
  const text = await requestMetadata(METADATA, list + encodeURIComponent(role), { headers })
  return keyFrom(METADATA, parsedJson(text))
}

function keyFrom(service: CredentialService, document: unknown): Temporary<AwsKey> {
  const { data } = documentSchema.safeParse(document)
  if (data === undefined) throw withoutCredential(service)
  return {
    value: {
      accessKeyId: data.AccessKeyId,
      secretAccessKey: data.SecretAccessKey,
      sessionToken: data.Token,
    },
    expiresAt: Date.parse(data.Expiration),
  }
}

/**
 * Reads a token from its file. The file is read each time, because the platform replaces it before the token expires.
 */
async function tokenIn(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim()
  } catch (cause) {
    throw misconfigured(`the token file ${file} cannot be read`, cause)
  }
}

function misconfigured(reason: string, cause?: unknown): GatewayError {
  return new GatewayError(
    "upstream_error",
    "The role of the machine that runs this gateway cannot be used. The operator has to correct its identity.",
    { cause: new OperatorCause(`the role of this machine cannot be used: ${reason}`, { cause }) },
  )
}
