set terminal postscript eps color enh "Times-BoldItalic"
set output "wifi-manager-example-Minstrel-802.11p-10MHz.eps"
set title "Results for 802.11p-10MHz with Minstrel\n"
set xlabel "SNR (dB)"
set ylabel "Rate (Mb/s)"
set xrange [0:30]
set yrange [0:60]
set key top left
plot "-"  title "802.11p-10MHz-rate selected" with lines, "-"  title "802.11p-10MHz-observed" with lines
27 27
26 27
25 27
24 27
23 27
22 27
21 27
20 27
19 27
18 24
17 24
16 18
15 18
14 18
13 18
12 12
11 12
10 12
9 9
8 9
7 9
6 9
5 6
4 6
3 4.5
e
27 12.6566
26 13.7298
25 13.4185
24 13.7626
23 13.4103
22 13.8035
21 13.3612
20 13.7216
19 13.2137
18 12.0668
17 9.77306
16 8.06912
15 8.71629
14 9.44538
13 9.07674
12 5.59514
11 6.93862
10 7.0615
9 5.20192
8 5.61971
7 5.75078
6 4.53018
5 3.75194
4 4.15334
3 2.4576
e
