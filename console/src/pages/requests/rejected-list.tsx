import { Box, Text } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useMemo } from "react"
import type { FailedRequestDocument } from "tollgate-contract/failures.ts"
import type { Input } from "tollgate-contract/client.ts"
import { AccountName, KeyName } from "../../ui/account-name.tsx"
import { usePages } from "../../api/use-pages.ts"
import type { Column } from "../../ui/data-column.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { Panel } from "../../ui/panel.tsx"
import { MarkedModel } from "../../ui/provider-mark.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { t } from "../../languages/text.ts"

export interface RejectedListProperties {
  readonly query: NonNullable<Input<"GET /failures">["query"]>
  /** Whether the requests belong to several accounts. */
  readonly isAll: boolean
  /** Names of loaded keys by id. */
  readonly keys: ReadonlyMap<string, string>
  /** Milliseconds between polls; false disables polling. */
  readonly refetchInterval: number | false
  /** Called after each poll. The argument states whether the poll succeeded. */
  readonly onState: (isWell: boolean) => void
}

/** Lists requests that were rejected before a provider was called, newest first. These requests have no receipt. */
export function RejectedList(properties: RejectedListProperties) {
  const { query, isAll, keys, refetchInterval, onState } = properties
  const navigate = useNavigate()
  const pages = usePages("GET /failures", { query }, { refetchInterval })
  const isWell = pages.error === null
  useEffect(() => onState(isWell), [onState, isWell])
  const columns = useMemo(() => rejectedColumns(isAll, keys), [isAll, keys])
  return (
    <>
      <ErrorNotice
        error={pages.error}
        title={t("The rejected requests could not be loaded")}
        retry={pages.retry}
      />
      {pages.hasContent && (
        <Panel isFlush>
          <DataTable
            label={t("Rejected requests")}
            columns={columns}
            rows={pages.items}
            rowKey={(failure) => failure.id}
            isLoading={pages.isLoading}
            minWidth={780}
            onRowClick={({ id }) =>
              void navigate({ to: "/requests/$request", params: { request: id } })
            }
            empty={
              <EmptyState title={t("No rejected requests")}>
                {t(
                  "Requests that the gateway rejects itself, such as for lack of credits, are listed here for seven days. Those that a vendor rejected are under Failed.",
                )}
              </EmptyState>
            }
          />
          <MoreButton pages={pages} />
        </Panel>
      )}
    </>
  )
}

function rejectedColumns(
  isAll: boolean,
  keys: RejectedListProperties["keys"],
): readonly Column<FailedRequestDocument>[] {
  return [
    {
      id: "message",
      header: t("Error message"),
      width: "34%",
      cell: ({ id, message }) => (
        <Box>
          <TextLink to="/requests/$request" params={{ request: id }} className="anywhere">
            {message}
          </TextLink>
        </Box>
      ),
    },
    { id: "code", header: t("Code"), cell: ({ code }) => <Status value={code} /> },
    {
      id: "model",
      header: t("Model"),
      cell: ({ model, endpoint }) => (
        <Box>
          <MarkedModel model={model}>
            <span className="anywhere">{model ?? "–"}</span>
          </MarkedModel>
          <Text size="xs" c="dimmed" className="anywhere row-detail">
            {endpoint}
          </Text>
        </Box>
      ),
    },
    ...(!isAll
      ? []
      : [
          {
            id: "account",
            header: t("Account"),
            isSecondary: true,
            cell: ({ account }: FailedRequestDocument) =>
              account === null ? (
                <span className="dim">{t("unknown")}</span>
              ) : (
                <AccountName id={account} />
              ),
          },
        ]),
    {
      id: "key",
      header: t("Key"),
      isSecondary: isAll,
      cell: ({ key }) =>
        key === null ? (
          <span className="dim">{t("unknown")}</span>
        ) : (
          <KeyName id={key} known={keys} />
        ),
    },
    { id: "at", header: t("When"), cell: ({ at }) => <When at={at} isExact />, width: 150 },
  ]
}
