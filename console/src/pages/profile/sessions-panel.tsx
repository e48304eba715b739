import { Badge, Box, Button, Group, Text } from "@mantine/core"
import { useState } from "react"
import type { OpenSession } from "tollgate-contract/session.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { usePages } from "../../api/use-pages.ts"
import { deviceText } from "../../format/device.ts"
import type { Column } from "../../ui/data-column.ts"
import { DataTable } from "../../ui/data-table.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { notifyDone, notifyError } from "../../ui/notify.tsx"
import { Panel } from "../../ui/panel.tsx"
import { When } from "../../ui/when.tsx"
import { t } from "../../languages/text.ts"

/** Lists the user's sessions. The user can end all of them except the current session. */
export function SessionsPanel() {
  const sessions = usePages("GET /session/all", {})
  const [isBusy, setBusy] = useState(false)
  const others = sessions.items.filter((session) => !session.current)

  async function end(ended: readonly OpenSession[]) {
    setBusy(true)
    try {
      for (const session of ended)
        await api("DELETE /session/all/{id}", { path: { id: session.id } })
      notifyDone(
        ended.length === 1 ? t("The session has ended.") : t("All other sessions have ended."),
      )
    } catch (thrown) {
      notifyError(thrown)
    } finally {
      setBusy(false)
      await refresh("/session/all")
    }
  }

  return (
    <Panel
      title={t("Open sessions")}
      isFlush
      actions={
        others.length > 1 && (
          <Button size="xs" variant="default" loading={isBusy} onClick={() => void end(others)}>
            {t("End all others")}
          </Button>
        )
      }
    >
      <ErrorNotice error={sessions.error} retry={sessions.retry} />
      {sessions.hasContent && (
        <DataTable
          label={t("Open sessions")}
          columns={columns((session) => void end([session]), isBusy)}
          rows={sessions.items}
          rowKey={(session) => session.id}
          isLoading={sessions.isLoading}
        />
      )}
    </Panel>
  )
}

function columns(end: (session: OpenSession) => void, isBusy: boolean): Column<OpenSession>[] {
  return [
    {
      id: "device",
      header: t("Device"),
      cell: (session) => (
        <Box title={session.agent ?? undefined}>
          <Group gap={6}>
            <span>{deviceText(session.agent)}</span>
            {session.current && (
              <Badge variant="light" tt="none" radius="sm" className="status">
                {t("this one")}
              </Badge>
            )}
          </Group>
          <Text size="xs" c="dimmed" fw={400}>
            {session.address ?? t("unknown address")}
          </Text>
        </Box>
      ),
    },
    { id: "created", header: t("Signed in"), cell: (session) => <When at={session.created_at} /> },
    { id: "expires", header: t("Expires"), cell: (session) => <When at={session.expires_at} /> },
    {
      id: "end",
      header: t("End"),
      isAction: true,
      width: 90,
      cell: (session) =>
        !session.current && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={isBusy}
            onClick={() => end(session)}
            aria-label={t("End the session on {device}", { device: deviceText(session.agent) })}
          >
            {t("End")}
          </Button>
        ),
    },
  ]
}
