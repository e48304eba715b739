import { Button, Group, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Passkey } from "tollgate-contract/passkeys.ts"
import { api } from "../../api/client.ts"
import { signInQuery } from "../../api/queries.ts"
import { refresh } from "../../api/refresh.ts"
import { usePages } from "../../api/use-pages.ts"
import { supportsPasskeys } from "../../passkeys.ts"
import { useSession } from "../../session.tsx"
import { Confirm } from "../../ui/confirm.tsx"
import type { Column } from "../../ui/data-column.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { Panel } from "../../ui/panel.tsx"
import { When } from "../../ui/when.tsx"
import { AddPasskeyModal, RenamePasskeyModal } from "./passkey-modals.tsx"
import { t } from "../../languages/text.ts"

/** Lists the user's passkeys. They are created here and used on the sign-in page. */
export function PasskeysPanel({ hasPassword }: { readonly hasPassword: boolean }) {
  const passkeys = usePages("GET /auth/passkeys", {})
  const options = useQuery(signInQuery)
  const { is_operator: isOperator } = useSession()
  const [isAdding, setAdding] = useState(false)
  const [renamed, setRenamed] = useState<Passkey>()
  const [removed, setRemoved] = useState<Passkey>()
  const isPossible = options.data?.passkey === true && supportsPasskeys()
  return (
    <Panel
      title={t("Passkeys")}
      description={t(
        "Sign in with your fingerprint, face or PIN instead of a password and a code.",
      )}
      isFlush
      actions={
        isPossible && (
          <Button size="xs" onClick={() => setAdding(true)}>
            {t("Add a passkey")}
          </Button>
        )
      }
    >
      <ErrorNotice error={passkeys.error} retry={passkeys.retry} />
      {options.data !== undefined && !isPossible && (
        <Text size="sm" c="dimmed" p="md">
          {options.data.passkey
            ? t("This browser does not support passkeys.")
            : isOperator
              ? t(
                  "Passkeys need HTTPS and a host name. Set server.public_url to an address such as https://ai.example.com.",
                )
              : t("Passkeys need HTTPS and a host name. Ask an operator to set them up.")}
        </Text>
      )}
      {passkeys.items.length > 0 && (
        <DataTable
          label={t("Passkeys")}
          columns={columns(setRenamed, setRemoved)}
          rows={passkeys.items}
          rowKey={(passkey) => passkey.id}
          isLoading={passkeys.isLoading}
        />
      )}
      <AddPasskeyModal
        isOpen={isAdding}
        hasPassword={hasPassword}
        onClose={() => setAdding(false)}
      />
      {renamed && <RenamePasskeyModal passkey={renamed} onClose={() => setRenamed(undefined)} />}
      <Confirm
        isOpen={removed !== undefined}
        title={t("Remove {name}?", { name: removed?.name ?? "" })}
        action={t("Remove the passkey")}
        onConfirm={async () => {
          await api("DELETE /auth/passkeys/{id}", { path: { id: removed?.id ?? "" } })
          notifyDone(t("The passkey is removed."))
          await refresh("/auth/passkeys")
        }}
        onClose={() => setRemoved(undefined)}
      >
        {t("{name} no longer signs you in. Your device may still offer it: remove it there too.", {
          name: removed?.name ?? "",
        })}
      </Confirm>
    </Panel>
  )
}

function columns(
  rename: (passkey: Passkey) => void,
  remove: (passkey: Passkey) => void,
): Column<Passkey>[] {
  return [
    { id: "name", header: t("Name"), cell: ({ name }) => name },
    { id: "created", header: t("Added"), cell: (passkey) => <When at={passkey.created_at} /> },
    {
      id: "used",
      header: t("Last used"),
      cell: ({ last_used_at: at }) => (at === null ? "never" : <When at={at} />),
    },
    {
      id: "change",
      header: t("Change"),
      isAction: true,
      width: 180,
      cell: (passkey) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => rename(passkey)}
            aria-label={t("Rename {name}", { name: passkey.name })}
          >
            {t("Rename")}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => remove(passkey)}
            aria-label={t("Remove {name}", { name: passkey.name })}
          >
            {t("Remove")}
          </Button>
        </Group>
      ),
    },
  ]
}
