import type { SubscriberTexts } from './texts.ts';

export const JAPANESE: SubscriberTexts = {
  pleaseConfirm: '登録を確認してください',
  checkInbox: (page) =>
    `「${page}」の登録を確認するリンクをメールでお送りします。届かない場合は迷惑メールをご確認ください。`,
  confirm: '登録を確認する',
  confirmHint: 'ボタンを押すと更新が届くようになります。',
  confirmed: '登録が確認されました',
  receives: (email, page) => `「${page}」の更新は ${email} に届きます。`,
  receivesNothing: (email, page) => `「${page}」の更新は ${email} には届きません。`,
  choices: '受け取る内容',
  topics: { critical_incidents: '重大な障害', all_incidents: 'すべての障害', maintenance: 'メンテナンス' },
  howOften: '頻度',
  frequencies: {
    immediate: 'すぐに', hourly: '1時間に1回、1通にまとめて', daily: '1日に1回、1通にまとめて',
  },
  webhook: 'Webhook（任意）',
  webhookHint: '各更新を JSON でもすぐに受信します。',
  save: '保存する',
  saved: '保存しました。',
  unsubscribe: '配信を停止する',
  unsubscribed: '配信を停止しました',
  notSubscribed: '登録されていません',
  confirmationIntro: (page) => `このアドレスでステータスページ「${page}」の更新を受け取る登録の申し込みがありました。`,
  confirmBefore: '24時間以内に確認してください：',
  ignore: 'お心当たりがない場合は、このメールを無視してください。',
  alreadySubscribed: 'すでに登録されています',
  receivesAlready: (page) =>
    `ステータスページ「${page}」の更新はすでに届くようになっています。受け取る内容の変更や配信の停止はこちらから：`,
  reason: (page) => `このメールは、ステータスページ「${page}」に登録されている方にお送りしています。`,
  statusPage: 'ステータスページ',
  updates: (count) => `更新 ${count} 件`,
  maintenance: 'メンテナンス：',
  phases: {
    before: (start, end) => `メンテナンスの予定：${start} ～ ${end}`,
    start: (_start, end) => `メンテナンスを開始しました。終了予定：${end}`,
    end: () => 'メンテナンスは終了しました。',
    cancelled: (start, end) => `予定されていたメンテナンス（${start} ～ ${end}）は中止または終了しました。`,
  },
};
