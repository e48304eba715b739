import { Button, Group } from "@mantine/core"
import type { IssuerSettings } from "tollgate-contract/operations.ts"
import type { Column } from "../../ui/data-column.ts"
import { t } from "../../languages/text.ts"

interface IssuerActions {
  /** Whether the file sets the issuers. */
  readonly isLocked: boolean
  readonly test: (issuer: IssuerSettings) => void
  readonly change: (issuer: IssuerSettings) => void
  readonly remove: (issuer: IssuerSettings) => void
}

export function issuerColumns(actions: IssuerActions): readonly Column<IssuerSettings>[] {
  return [
    { id: "name", header: t("Name"), cell: ({ name }) => name },
    { id: "id", header: t("ID"), cell: ({ id }) => <span className="mono">{id}</span> },
    {
      id: "issuer",
      header: t("Issuer"),
      cell: ({ issuer }) => <span className="mono anywhere">{issuer}</span>,
    },
    {
      id: "client",
      header: t("Client ID"),
      isWideOnly: true,
      cell: ({ client_id: client }) => <span className="mono anywhere">{client}</span>,
    },
    {
      id: "secret",
      header: t("Client secret"),
      isWideOnly: true,
      cell: ({ has_client_secret: hasSecret }) =>
        hasSecret ? t("set") : <span className="dim">{t("none")}</span>,
    },
    {
      id: "actions",
      header: t("Actions"),
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
        aria-label={t("Test {name}", { name })}
        onClick={() => test(issuer)}
      >
        {t("Test [button]")}
      </Button>
      {!isLocked && (
        <>
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={t("Change {name}", { name })}
            onClick={() => change(issuer)}
          >
            {t("Change [button]")}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            aria-label={t("Remove {name}", { name })}
            onClick={() => remove(issuer)}
          >
            {t("Remove")}
          </Button>
        </>
      )}
    </Group>
  )
}
