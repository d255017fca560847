import 'vuetify/styles';
import { createApp, reactive, watchEffect } from 'vue';
import { createVuetify } from 'vuetify';
import * as components from 'vuetify/components';
import { CITIES, day, held, PLANS, ROWS, TAGS } from './record.js';

const form = reactive({
  plan: 'Basic', city: null, tags: [], start: null, news: false, alerts: false, seats: 0, note: '', isOpen: false,
  rows: ROWS, PLANS, CITIES, TAGS,
});
watchEffect(() => {
  const { plan, city, tags, news, alerts, seats } = form;
  Object.assign(held, { plan, city, tags: [...tags], news, alerts, seats: Number(seats), start: day(form.start) });
});
createApp({
  setup: () => ({
    form,
    save: () => { held.note = form.note; form.isOpen = false; },
    remove: (id) => { held.deleted = id; form.rows = form.rows.filter((row) => row !== id); },
  }),
  template: `
    <v-app>
      <v-select v-model="form.plan" :items="form.PLANS" label="Plan"></v-select>
      <v-autocomplete v-model="form.city" :items="form.CITIES" label="City"></v-autocomplete>
      <v-select v-model="form.tags" :items="form.TAGS" label="Tags" multiple chips></v-select>
      <v-date-input v-if="false"></v-date-input>
      <v-checkbox v-model="form.news" label="News"></v-checkbox>
      <v-switch v-model="form.alerts" label="Alerts"></v-switch>
      <v-slider v-model="form.seats" label="Seats" :min="0" :max="20" :step="1"></v-slider>
      <v-btn @click="form.isOpen = true">Add a note</v-btn>
      <v-dialog v-model="form.isOpen" width="400">
        <v-card title="New note">
          <v-text-field v-model="form.note" label="Note"></v-text-field>
          <v-card-actions><v-btn @click="save">OK</v-btn></v-card-actions>
        </v-card>
      </v-dialog>
      <v-table><tbody>
        <tr v-for="id in form.rows" :key="id"><td>{{ id }}</td><td><v-btn @click="remove(id)">Delete</v-btn></td></tr>
      </tbody></v-table>
    </v-app>`,
}).use(createVuetify({ components })).mount('#root');
