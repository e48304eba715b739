import { Box, Text } from "@mantine/core"
import type { AuditRecord } from "tollgate-contract/operations.ts"
import type { ReactNode } from "react"
import { differences } from "./difference.ts"
import { TextLink } from "../../ui/link-button.tsx"
import { nameOf } from "./record-words.ts"

/** Shows the changed object. Shows its name if the record contains the name, and a link if the object has a page. */
export function TargetView({ record }: { readonly record: AuditRecord }) {
  const { target } = record
  if (target === null) return changedMembers(record) ?? <span className="dim">–</span>
  const name = nameOf(record)
  return (
    <Box>
      <TargetLink target={target} name={name} /> {changedMembers(record)}
      {name !== undefined && (
        <Text size="xs" c="dimmed" className="mono identifier row-detail">
          {target}
        </Text>
      )}
    </Box>
  )
}

/** Maximum number of changed fields that the list names. */
const MAX_NAMED = 2

/** Returns the paths of the changed fields of an existing object, such as `limits.daily_budget`. */
function changedMembers({ before, after }: AuditRecord): ReactNode {
  if (before === null || after === null) return undefined
  const paths = differences(before, after).map(({ path }) => path)
  if (paths.length === 0) return undefined
  const more = paths.length > MAX_NAMED ? ", …" : ""
  return <span className="mono dim anywhere">{paths.slice(0, MAX_NAMED).join(", ") + more}</span>
}

interface TargetLinkProperties {
  readonly target: string
  readonly name: string | undefined
}

function TargetLink({ target, name }: TargetLinkProperties) {
  const look = {
    className: name === undefined ? "identifier" : "anywhere",
    children: name ?? target,
  }
  if (target.startsWith("acc_")) {
    return <TextLink to="/accounts/$account" params={{ account: target }} {...look} />
  }
  if (target.startsWith("key_")) {
    return <TextLink to="/keys" search={{ search: target, status: "all" }} {...look} />
  }
  if (target.startsWith("req_")) {
    return <TextLink to="/requests/$request" params={{ request: target }} {...look} />
  }
  return <span {...look} />
}
