/** Creates the pages of the API reference from openapi.json. */

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly format?: string
  readonly $ref?: string
}

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly {
    readonly in: string
    readonly name: string
    readonly required?: boolean
    readonly schema?: Schema
  }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: Schema }>>
  }
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

export interface ApiPage {
  /** File name without its folder and extension. */
  readonly name: string
  readonly title: string
  readonly text: string
}

const MANAGEMENT = "Management: "

/** Returns one page for each tag of the document, and one page for the shared objects. */
export function apiPages(document: OpenApi): readonly ApiPage[] {
  const byTag = new Map<string, string[]>()
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = tagOf(operation)
      const section = operationSection(document, `${method.toUpperCase()} ${path}`, operation)
      byTag.set(tag, [...(byTag.get(tag) ?? []), section])
    }
  }
  const tagPages = [...byTag].map(([tag, sections]) => ({
    name: tag.toLowerCase().replaceAll(/[^a-z]+/g, "-"),
    title: tag,
    text: `# ${tag}\n\n${sections.join("\n")}`,
  }))
  return [...tagPages, objectsPage(document)]
}

function objectsPage({ components }: OpenApi): ApiPage {
  const sections = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]) => `## ${name}\n\n${fieldsTable(schema, false)}\n`,
  )
  return { name: "objects", title: "Objects", text: `# Objects\n\n${sections.join("\n")}` }
}

/** Returns the tag of an operation. Management routes with few operations share a tag, so that they share a page. */
function tagOf({ tags: [tag = "Other"] = [] }: Operation): string {
  if (!tag.startsWith(MANAGEMENT)) return tag
  const name = tag.slice(MANAGEMENT.length)
  const shared = SHARED_PAGES.find(([, members]) => members.includes(name))
  return shared === undefined ? `Manage ${name.replaceAll("-", " ")}` : `Manage ${shared[0]}`
}

const SHARED_PAGES: readonly (readonly [string, readonly string[]])[] = [
  ["requests", ["receipts", "receipts.csv", "requests", "failures", "write-offs"]],
  ["usage", ["usage", "billing-gaps", "reconciliations"]],
  ["people", ["members", "invitations", "users"]],
  ["sign-in", ["sign-in", "setup", "auth", "session"]],
  ["prices", ["prices", "price-groups"]],
  ["the system", ["settings", "ledger", "system", "audit", "notices"]],
]

function operationSection(document: OpenApi, name: string, operation: Operation): string {
  const parts = [
    `## ${name.replaceAll(/[{}]/g, (brace) => `\\${brace}`)}`,
    [operation.summary, operation.description].filter(Boolean).map(sentence).join(" "),
    parametersTable(operation),
    ...bodyTables(document, "Request body", operation.requestBody?.content),
    ...bodyTables(document, "Response", operation.responses?.["200"]?.content),
  ]
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`
}

function parametersTable({ parameters = [] }: Operation): string {
  const rows = parameters.map(({ in: place, name, required, schema = {} }) => [
    `\`${name}\``,
    place,
    typeOf(schema),
    notes(schema, required === true),
  ])
  return table(["parameter", "in", "type", ""], rows)
}

function bodyTables(
  document: OpenApi,
  title: string,
  content: Readonly<Record<string, { readonly schema?: Schema }>> = {},
): string[] {
  return Object.entries(content).flatMap(([type, { schema }]) => {
    const fields = fieldsTable(resolved(document, schema ?? {}), title === "Request body")
    return fields === "" ? [] : [`**${title}** (\`${type}\`)`, fields]
  })
}

function fieldsTable({ properties = {}, required = [] }: Schema, showsRequired: boolean): string {
  const rows = Object.entries(properties).map(([name, member]) => [
    `\`${name}\``,
    typeOf(member),
    notes(member, showsRequired && required.includes(name)),
  ])
  return table(["field", "type", ""], rows)
}

function resolved(document: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1)
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {})
}

function typeOf(schema: Schema): string {
  const { $ref: reference, items, anyOf, oneOf } = schema
  const name = reference?.split("/").at(-1)
  if (name !== undefined) return `[${name}](./objects.md#${name.toLowerCase()})`
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(", ")
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(" or ")
  if (schema.type === "array") return `list of ${items === undefined ? "any" : typeOf(items)}`
  return [schema.type ?? "any"].flat().join(" or ")
}

function notes(schema: Schema, isRequired: boolean): string {
  const { description, default: fallback, minimum, maximum, maxLength } = schema
  const range = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  return [
    isRequired ? "required" : "",
    description ?? "",
    fallback === undefined ? "" : `default \`${JSON.stringify(fallback)}\``,
    range ? `${minimum} to ${maximum}` : "",
    maxLength === undefined ? "" : `at most ${maxLength} characters`,
  ]
    .filter((note) => note !== "")
    .join("; ")
    .replaceAll(/[{}<>]/g, (sign) => `\\${sign}`)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ""
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`)
    .join("\n")
}

function sentence(text = ""): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
