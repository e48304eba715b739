import { Button, Group } from "@mantine/core"
import type { IssuerSettings } from "tollgate-contract/operations.ts"
import type { Column } from "../../ui/data-column.ts"

interface IssuerActions {
  /** Whether the file sets the issuers. */
  readonly isLocked: boolean
  readonly test: (issuer: IssuerSettings) => void
  readonly change: (issuer: IssuerSettings) => void
  readonly remove: (issuer: IssuerSettings) => void
}

export function issuerColumns(actions: IssuerActions): readonly Column<IssuerSettings>[] {
  return [
    { id: "name", header: "Name", cell: ({ name }) => name },
    { id: "id", header: "Id", cell: ({ id }) => <span className="mono">{id}</span> },
    {
      id: "issuer",
      header: "Issuer",
      cell: ({ issuer }) => <span className="mono anywhere">{issuer}</span>,
    },
    {
      id: "client",
      header: "Client ID",
      isWideOnly: true,
      cell: ({ client_id: client }) => <span className="mono anywhere">{client}</span>,
    },
    {
      id: "secret",
      header: "Client secret",
      isWideOnly: true,
      cell: ({ has_client_secret: hasSecret }) =>
        hasSecret ? "set" : <span className="dim">none</span>,
    },
    {
      id: "actions",
      header: "Actions",
      isAction: true,
      cell: (issuer) => <RowButtons issuer={issuer} {...actions} />,
    },
  ]
}

function RowButtons({
  issuer,
  isLocked,
  test,
  change,
  remove,
}: IssuerActions & { readonly issuer: IssuerSettings }) {
  const { name } = issuer
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={`Test ${name}`}
        onClick={() => test(issuer)}
      >
        Test
      </Button>
      {!isLocked && (
        <>
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Change ${name}`}
            onClick={() => change(issuer)}
          >
            Change
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            aria-label={`Remove ${name}`}
            onClick={() => remove(issuer)}
          >
            Remove
          </Button>
        </>
      )}
    </Group>
  )
}
