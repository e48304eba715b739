import { Badge, Button, Stack } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { IssuerSettings } from "tollgate-contract/operations.ts"
import { api } from "../../api/client.ts"
import { oneQuery } from "../../api/queries.ts"
import { refresh } from "../../api/refresh.ts"
import { Confirm } from "../../ui/confirm.tsx"
import { DataTable } from "../../ui/data-table.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { IconLock, IconPlus } from "../../ui/icons.tsx"
import { Panel } from "../../ui/panel.tsx"
import { issuerColumns } from "./issuer-columns.tsx"
import { IssuerModal } from "./issuer-modal.tsx"
import { IssuerTest } from "./issuer-test.tsx"
import { t } from "../../languages/text.ts"

/** Lists the OpenID Connect issuers with which people sign in. */
export function IssuersPanel() {
  const { data, error, isPending, refetch } = useQuery(oneQuery("GET /settings/issuers", {}))
  const [isAdding, setAdding] = useState(false)
  const [changing, setChanging] = useState<IssuerSettings>()
  const [removing, setRemoving] = useState<IssuerSettings>()
  const [testing, setTesting] = useState<IssuerSettings>()
  const isLocked = data?.is_locked ?? true

  async function remove() {
    if (removing === undefined) return
    await api("DELETE /settings/issuers/{id}", { path: { id: removing.id } })
    await refresh("/settings")
  }

  return (
    <Panel
      isFlush
      title={t("Single sign-on")}
      description={t("People sign in to the console with these OpenID Connect issuers.")}
      actions={data && <PanelAction isLocked={isLocked} add={() => setAdding(true)} />}
    >
      <Stack gap="sm">
        <ErrorNotice error={error} retry={() => void refetch()} />
        {data !== undefined && data.problem !== null && (
          <ErrorNotice
            error={new Error(data.problem)}
            title={t("The stored issuers are not used")}
          />
        )}
        <DataTable
          label={t("Issuers")}
          columns={issuerColumns({
            isLocked,
            test: setTesting,
            change: setChanging,
            remove: setRemoving,
          })}
          rows={data?.data ?? []}
          rowKey={({ id }) => id}
          isLoading={isPending}
          minWidth={520}
          empty={t("No issuer. People sign in with a password or a passkey.")}
        />
      </Stack>
      <IssuerModal
        issuer={changing}
        isOpen={isAdding || changing !== undefined}
        onClose={() => {
          setAdding(false)
          setChanging(undefined)
        }}
      />
      <IssuerTest issuer={testing} onClose={() => setTesting(undefined)} />
      <Confirm
        isOpen={removing !== undefined}
        title={t("Remove the issuer {name}?", { name: removing?.name ?? "" })}
        action={t("Remove the issuer")}
        onConfirm={remove}
        onClose={() => setRemoving(undefined)}
      >
        {t(
          "People who sign in only with this issuer cannot sign in any more. Their users are kept.",
        )}
      </Confirm>
    </Panel>
  )
}

interface PanelActionProperties {
  readonly isLocked: boolean
  readonly add: () => void
}

function PanelAction({ isLocked, add }: PanelActionProperties) {
  if (!isLocked) {
    return (
      <Button variant="default" leftSection={<IconPlus size={16} />} onClick={add}>
        {t("Add an issuer")}
      </Button>
    )
  }
  return (
    <Badge
      variant="default"
      radius="sm"
      tt="none"
      fw={500}
      leftSection={<IconLock size={12} aria-hidden />}
    >
      {t("set in the file")}
    </Badge>
  )
}
