import type { SubscriberTexts } from './texts.ts';

export const SPANISH: SubscriberTexts = {
  pleaseConfirm: 'Confirme su suscripción',
  checkInbox: (page) => `Le enviamos un correo con un enlace que confirma su suscripción a ${page}. `
    + 'Si no llega, mire en el correo no deseado.',
  confirm: 'Confirmar la suscripción',
  confirmHint: 'Pulse el botón para recibir las novedades.',
  confirmed: 'Suscripción confirmada',
  receives: (email, page) => `${email} recibe las novedades de ${page}.`,
  receivesNothing: (email, page) => `${email} no recibe novedades de ${page}.`,
  choices: 'Qué recibe',
  topics: {
    critical_incidents: 'Incidentes críticos', all_incidents: 'Todos los incidentes',
    maintenance: 'Mantenimiento',
  },
  howOften: 'Con qué frecuencia',
  frequencies: {
    immediate: 'Al momento', hourly: 'Una vez por hora, en un correo', daily: 'Una vez al día, en un correo',
  },
  webhook: 'Webhook (opcional)',
  webhookHint: 'Recibe también cada novedad en JSON, al momento.',
  save: 'Guardar',
  saved: 'Guardado.',
  unsubscribe: 'Darse de baja',
  unsubscribed: 'Se ha dado de baja',
  notSubscribed: 'No está suscrito',
  confirmationIntro: (page) =>
    'Alguien, esperamos que usted, quiere recibir en esta dirección las '
    + `novedades de la página de estado «${page}».`,
  confirmBefore: 'Confírmelo en un plazo de 24 horas:',
  ignore: 'Si no ha pedido este correo, no haga nada.',
  alreadySubscribed: 'Ya está suscrito',
  receivesAlready: (page) =>
    `Ya recibe las novedades de la página de estado «${page}». Puede cambiar qué recibe o darse de baja:`,
  reason: (page) => `Recibe este correo porque está suscrito a la página de estado «${page}».`,
  statusPage: 'Página de estado',
  updates: (count) => (count === 1 ? '1 novedad' : `${count} novedades`),
  maintenance: 'Mantenimiento:',
  phases: {
    before: (start, end) => `Mantenimiento previsto: desde ${start} hasta ${end}.`,
    start: (_start, end) => `El mantenimiento ha comenzado. Fin previsto: ${end}.`,
    end: () => 'El mantenimiento ha terminado.',
    cancelled: (start, end) =>
      `El mantenimiento previsto (desde ${start} hasta ${end}) `
      + 'se ha cancelado o ha terminado.',
  },
};
