import { ActionIcon, Menu } from "@mantine/core"
import {
  IconBan,
  IconDots,
  IconListDetails,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
} from "../../ui/icons.tsx"
import { useNavigate } from "@tanstack/react-router"
import type { Key } from "tollgate-contract/keys.ts"
import { t } from "../../languages/text.ts"

export interface KeyMenuProperties {
  readonly target: Key
  readonly onEdit: () => void
  readonly onRotate: () => void
  readonly onPause: () => void
  readonly onRevoke: () => void
}

/** The actions for a key. */
export function KeyMenu(properties: KeyMenuProperties) {
  const { target, onEdit, onRotate, onPause, onRevoke } = properties
  const navigate = useNavigate()
  const isRevoked = target.status === "revoked"
  return (
    <Menu position="bottom-end" shadow="md" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t("Actions for {name}", { name: target.name })}
        >
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconListDetails size={16} />}
          onClick={() => void navigate({ to: "/requests", search: { key: target.id } })}
        >
          {t("View requests")}
        </Menu.Item>
        {target.may_change && !isRevoked && (
          <>
            <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
              {t("Change [button]")}
            </Menu.Item>
            <Menu.Item leftSection={<IconRefresh size={16} />} onClick={onRotate}>
              {t("Rotate")}
            </Menu.Item>
            <Menu.Item
              leftSection={
                target.is_paused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />
              }
              onClick={onPause}
            >
              {target.is_paused ? t("Resume") : t("Pause")}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconBan size={16} />} onClick={onRevoke}>
              {t("Revoke")}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
