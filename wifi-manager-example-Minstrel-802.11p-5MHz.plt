set terminal postscript eps color enh "Times-BoldItalic"
set output "wifi-manager-example-Minstrel-802.11p-5MHz.eps"
set title "Results for 802.11p-5MHz with Minstrel\n"
set xlabel "SNR (dB)"
set ylabel "Rate (Mb/s)"
set xrange [0:30]
set yrange [0:60]
set key top left
plot "-"  title "802.11p-5MHz-rate selected" with lines, "-"  title "802.11p-5MHz-observed" with lines
27 13.5
26 13.5
25 13.5
24 13.5
23 13.5
22 13.5
21 13.5
20 13.5
19 13.5
18 12
17 12
16 9
15 9
14 9
13 9
12 6
11 6
10 6
9 6
8 4.5
7 4.5
6 4.5
5 3
4 3
3 2.25
e
27 6.5536
26 7.17619
25 6.84851
24 7.18438
23 6.8567
22 7.14342
21 6.8649
20 7.15162
19 6.84032
18 6.16038
17 5.36576
16 4.52198
15 4.75955
14 4.89882
13 4.67763
12 3.03923
11 3.39968
10 3.69459
9 2.64602
8 2.71974
7 2.98189
6 2.49037
5 1.90874
4 2.10534
3 1.39264
e
