import * as z from "zod"
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from "zod-openapi"
import * as accounts from "#contract/accounts.ts"
import * as catalog from "#contract/catalog.ts"
import * as codes from "#contract/codes.ts"
import * as keys from "#contract/keys.ts"
import * as members from "#contract/members.ts"
import * as operations from "#contract/operations.ts"
import * as receipts from "#contract/receipts.ts"
import { type Method, methodAndPath, plainPath } from "#contract/route-name.ts"
import { isNothing, type MinimumRole, type Route } from "#contract/route.ts"
import { ROUTES } from "#contract/routes.ts"
import { SERVICE_ROUTES, type ServiceRoute } from "#contract/service-routes.ts"
import * as session from "#contract/session.ts"
import * as usage from "#contract/usage.ts"
import { VERSION } from "../../runtime.ts"
import { requestSchema } from "./request-schemas.ts"
import { ADMIN_PATH, takesIdempotencyKey } from "../admin/routes.ts"

const errorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string(),
    error_type: z
      .string()
      .meta({ description: "The error code, which is the same in every dialect" }),
    request_id: z.string(),
    errors: z
      .array(z.object({ param: z.string().nullable(), message: z.string() }))
      .optional()
      .meta({ description: "The errors of all fields, if several fields can be invalid" }),
  }),
})

/** The resources, declared once and referenced. */
const SCHEMAS = {
  Error: errorSchema,
  Account: accounts.account,
  AccountCredits: accounts.accountCredits,
  Entry: accounts.entry,
  Key: keys.key,
  Budget: keys.budget,
  Code: codes.code,
  Member: members.member,
  Invitation: members.invitation,
  User: members.user,
  Session: session.session,
  Model: catalog.model,
  Health: catalog.health,
  Provider: catalog.provider,
  Vendor: catalog.vendor,
  RequestSummary: receipts.requestSummary,
  Receipt: receipts.receipt,
  UsageRow: usage.usageRow,
  Overview: usage.overview,
  AuditRecord: operations.auditRecord,
  Settings: operations.settingsView,
} as const

/** The header that identifies a repeated request. */
const idempotencyHeader = z.object({
  "idempotency-key": z.string().min(1).max(255).optional().meta({
    description:
      "A repeated request with the same key within 24 hours gets the same response, and is not performed or charged again. Another request with the same key gets a 422. Repeated responses have the header 'idempotent-replayed: true'.",
  }),
})

/** Descriptions of the roles that may use a route. */
export const ROLE_WORDS: Readonly<Record<MinimumRole, string>> = {
  anyone: "Needs no session.",
  session: "For everyone who is signed in.",
  viewer: "For viewers of the account and above.",
  member: "For members of the account and above.",
  owner: "For owners of the account.",
  operator: "For operators.",
}

/**
 * `/openapi.json`: the endpoints of the management API with the schemas that validate requests. Service endpoints are
 * only listed, because their official clients document the fields.
 * @param baseUrl the public address.
 */
export function openApiDocument(baseUrl: string) {
  const paths: ZodOpenApiPathsObject = {}
  for (const [name, route] of Object.entries<ServiceRoute>(SERVICE_ROUTES)) {
    const { method, path } = methodAndPath(name)
    add(paths, plainPath(path), method, serviceOperation(plainPath(path), route))
  }
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    const { method, path } = methodAndPath(name)
    add(paths, ADMIN_PATH + plainPath(path), method, adminOperation(name, route))
  }
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "Tollgate",
      version: VERSION,
      description: "A prepaid gateway to every AI model, and its management API.",
    },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "A caller's key: sk-tg-..." },
        admin_token: { type: "http", scheme: "bearer", description: "TOLLGATE_ADMIN_TOKEN" },
        session: {
          type: "apiKey",
          in: "header",
          name: "cookie",
          description:
            "The cookie of the console's session. Changes need the header 'x-tollgate-console: 1' as well.",
        },
      },
    },
  } satisfies ZodOpenApiObject)
}

type Verb = "get" | "post" | "put" | "patch" | "delete"

function add(
  paths: ZodOpenApiPathsObject,
  path: string,
  method: Method,
  operation: ZodOpenApiOperationObject,
): void {
  paths[path] = { ...paths[path], [method.toLowerCase() as Verb]: operation }
}

function adminOperation(name: string, route: Route): ZodOpenApiOperationObject {
  const { summary, minimumRole, query, body } = route
  const { method, path } = methodAndPath(name)
  const parts = [...path.matchAll(/\{(\w+)/g)].map(([, part = ""]) => part)
  const pathSchema = z.object(Object.fromEntries(parts.map((part) => [part, z.string()])))
  const isRepeatable = takesIdempotencyKey(method, minimumRole)
  const hasQuery = query instanceof z.ZodObject
  return {
    summary,
    description: ROLE_WORDS[minimumRole],
    tags: [`Management: ${groupOf(path)}`],
    "x-least": minimumRole,
    security: minimumRole === "anyone" ? [] : [{ admin_token: [] }, { session: [] }],
    ...((parts.length > 0 || hasQuery || isRepeatable) && {
      requestParams: {
        ...(parts.length > 0 && { path: pathSchema }),
        ...(hasQuery && { query }),
        ...(isRepeatable && { header: idempotencyHeader }),
      },
    }),
    ...(!isNothing(body) && {
      requestBody: { content: { "application/json": { schema: body } } },
    }),
    responses: {
      ...responsesOf(method, route),
      default: errorResponse(),
    },
  }
}

function responsesOf(method: Method, { response }: Route): ZodOpenApiOperationObject["responses"] {
  if (!isNothing(response)) {
    const content = { "application/json": { schema: response } }
    return { "200": { description: "The requested result.", content } }
  }
  if (method === "GET") return { "200": { description: "A file, or a redirect." } }
  return { "204": { description: "Done." } }
}

/** Returns the first part of a path, such as `keys` for `/keys/{id}`. */
export function groupOf(path: string): string {
  return path.split("/")[1] ?? ""
}

function serviceOperation(path: string, endpoint: ServiceRoute): ZodOpenApiOperationObject {
  const { body, query, response = "application/json" } = endpoint
  const object = z.looseObject({})
  return {
    summary: endpoint.summary,
    tags: [endpoint.group],
    security: endpoint.isOpen ? [] : [{ key: [] }],
    ...(endpoint.like !== undefined && {
      description: `Its fields are those of ${endpoint.like}'s own API.`,
    }),
    ...(path.includes("{id}") && {
      requestParams: { path: z.object({ id: z.string() }) },
    }),
    ...(query && { requestParams: { query } }),
    ...(body && {
      requestBody: { content: { [body]: { schema: requestSchema(path) ?? object } } },
    }),
    ...(body && !endpoint.isFree && { requestParams: { header: idempotencyHeader } }),
    responses: {
      "200": {
        description: "The requested result.",
        content: { [response]: response === "application/json" ? { schema: object } : {} },
      },
      default: errorResponse(),
    },
  }
}

function errorResponse() {
  return {
    description: "An error, with its remedy.",
    content: { "application/json": { schema: errorSchema } },
  }
}
