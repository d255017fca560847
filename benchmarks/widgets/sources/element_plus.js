import 'element-plus/dist/index.css';
import { createApp, reactive, watchEffect } from 'vue';
import ElementPlus from 'element-plus';
import { CITIES, day, held, PLANS, ROWS, TAGS } from './record.js';

const form = reactive({
  plan: 'Basic', city: null, tags: [], start: null, news: false, alerts: false, seats: 1, note: '', isOpen: false,
  rows: ROWS.map((id) => ({ id })), PLANS, CITIES, TAGS,
});
watchEffect(() => {
  const { plan, city, tags, news, alerts, seats } = form;
  Object.assign(held, { plan, city, tags: [...tags], news, alerts, seats, start: day(form.start) });
});
createApp({
  setup: () => ({
    form,
    save: () => { held.note = form.note; form.isOpen = false; },
    remove: (id) => { held.deleted = id; form.rows = form.rows.filter((row) => row.id !== id); },
  }),
  template: `
    <el-form label-width="120px">
      <el-form-item label="Plan"><el-select v-model="form.plan">
        <el-option v-for="text in form.PLANS" :key="text" :label="text" :value="text"></el-option></el-select></el-form-item>
      <el-form-item label="City"><el-select v-model="form.city" filterable>
        <el-option v-for="text in form.CITIES" :key="text" :label="text" :value="text"></el-option></el-select></el-form-item>
      <el-form-item label="Tags"><el-select v-model="form.tags" multiple>
        <el-option v-for="text in form.TAGS" :key="text" :label="text" :value="text"></el-option></el-select></el-form-item>
      <el-form-item label="Start"><el-date-picker v-model="form.start"></el-date-picker></el-form-item>
      <el-form-item><el-checkbox v-model="form.news" label="News"></el-checkbox></el-form-item>
      <el-form-item label="Alerts"><el-switch v-model="form.alerts"></el-switch></el-form-item>
      <el-form-item label="Seats"><el-input-number v-model="form.seats"></el-input-number></el-form-item>
      <el-button @click="form.isOpen = true">Add a note</el-button>
      <el-dialog v-model="form.isOpen" title="New note">
        <el-form-item label="Note"><el-input v-model="form.note"></el-input></el-form-item>
        <template #footer><el-button @click="save">OK</el-button></template>
      </el-dialog>
      <el-table :data="form.rows"><el-table-column prop="id" label="Order"></el-table-column>
        <el-table-column label="Action"><template #default="{ row }"><el-button @click="remove(row.id)">Delete</el-button>
        </template></el-table-column></el-table>
    </el-form>`,
}).use(ElementPlus).mount('#root');
